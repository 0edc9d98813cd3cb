import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { Problem } from './problem.mjs';
import { nodeEnvironment } from './setup/node.mjs';
import { setUp } from './setup/set-up.mjs';
import { passSignals, startedInTerminal } from './signals.mjs';

const stopWithParent = new URL('stop-with-parent.mjs', import.meta.url).href;

/**
 * Sets the clone up, runs one of its programs in the foreground and answers the exit code.
 * @param {string} root
 * @param {import('./setup/packages.mjs').PackageSet} packageSet
 * @param {string} program path inside the clone
 * @param {string[]} args
 */
export async function runProgram(root, packageSet, program, args) {
  if (!existsSync(join(root, program)))
    throw new Problem(`${program} is missing from this clone. Fetch it again, for example with: git checkout .`);
  const node = await setUp(root, packageSet);
  const signals = passSignals();
  const child = spawn(node.path, ['--enable-source-maps', `--import=${stopWithParent}`, program, ...args], {
    cwd: root,
    stdio: 'inherit',
    env: nodeEnvironment(root, node),
    // Away from a terminal, a supervisor may signal the whole process group. In a session of its own the program hears
    // only what is passed on to it, once; in a terminal it must stay, or it could not read from it.
    detached: !startedInTerminal(),
  });
  signals.to(child);
  try {
    return await exitCodeOf(child);
  } finally {
    signals.stop();
  }
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
