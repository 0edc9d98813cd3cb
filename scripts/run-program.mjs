import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import { Problem } from './problem.mjs';
import { nodeEnvironment } from './setup/node.mjs';
import { markRunning } from './setup/running.mjs';
import { setUp } from './setup/set-up.mjs';
import { passSignals, startedInTerminal } from './signals.mjs';

const stopWithParent = new URL('stop-with-parent.mjs', import.meta.url).href;

/**
 * Sets the clone up, runs one of its programs in the foreground and returns the exit code.
 * @param {string} root
 * @param {import('./setup/packages.mjs').PackageSet} packageSet
 * @param {string} program path, relative to the clone
 * @param {string[]} args
 */
export async function runProgram(root, packageSet, program, args) {
  if (!program.startsWith('node_modules/') && !existsSync(resolve(root, program)))
    throw new Problem(`${program} is missing from this clone. Fetch it again, for example with: git checkout .`);
  const mark = markRunning(root, nameOf(program, args));
  try {
    const node = await setUp(root, packageSet, mark);
    return await runWith(root, node, [program, ...args], mark);
  } finally {
    mark.release();
  }
}

/**
 * @param {string} root
 * @param {import('./setup/node.mjs').Node} node
 * @param {string[]} words the program and its arguments
 * @param {import('./setup/running.mjs').Mark} mark
 */
async function runWith(root, node, words, mark) {
  const signals = passSignals();
  // Test processes inherit the flags of their runner, and reading the source maps of every package would slow them down.
  const flags = isTestRunner(words[0] ?? '') ? [] : ['--enable-source-maps'];
  const child = spawn(node.path, [...flags, `--import=${stopWithParent}`, ...words], {
    cwd: root,
    stdio: 'inherit',
    env: nodeEnvironment(root, node),
    // Without a terminal, a supervisor may signal the whole process group. In a separate session the program receives only what is passed
    // on to it, once; in a terminal it must stay in the session, or it could not read from it.
    detached: !startedInTerminal(),
  });
  signals.to(child);
  if (child.pid) mark.alsoHeldBy(child.pid);
  try {
    return await exitCodeOf(child);
  } finally {
    signals.stop();
  }
}

/**
 * Returns the name of a running program for other processes. Of the arguments only the command: the others may be secret.
 * @param {string} program
 * @param {string[]} args
 */
function nameOf(program, [command = '']) {
  if (program.endsWith('cli/main.ts')) return `latchkey ${command}`;
  return isTestRunner(program) ? 'npm test' : program;
}

/** @param {string} program */
function isTestRunner(program) {
  return program.endsWith('tests/run-tests.ts');
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number>}
 */
function exitCodeOf(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}
