import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newMiniApp } from './new-miniapp.mjs';
import { Problem } from './problem.mjs';
import { runProgram } from './run-program.mjs';
import { runTests } from './tests/run-tests.mjs';

const cloneRoot = dirname(dirname(fileURLToPath(import.meta.url)));
const commandLine = 'packages/server/src/cli/main.ts';

/** @typedef {{ does: string, run: (root: string, args: string[]) => Promise<number> }} Task */

/** @type {Map<string, Task>} */
const tasks = new Map(
  Object.entries({
    start: {
      does: 'starts the database, the API and the worker',
      run: (root, args) => runProgram(root, 'sandbox', commandLine, ['start', ...args]),
    },
    demo: {
      does: 'plays the story of a role in the terminal, on a sample community',
      run: (root, args) => runProgram(root, 'sandbox', commandLine, ['demo', ...args]),
    },
    test: {
      does: 'checks types and lint and runs every test, or the tests of files whose path contains an argument',
      run: (root, args) => runTests(root, readWanted('test', args)),
    },
    check: {
      does: 'does the same without the slow tests (*.slow.test.ts)',
      run: (root, args) => runTests(root, readWanted('check', args)),
    },
    'test:deep': {
      does: 'runs the tests that have a volume at their full one, and the clients of others',
      run: (root, args) => runTests(root, readWanted('deep', args)),
    },
    routes: {
      does: 'lists the operations: method, path, scopes, file, served or not',
      run: (root, args) => runProgram(root, 'production', 'scripts/routes.ts', args),
    },
    conformance: {
      does: 'logs in with OpenID Connect clients that are none of ours, against a whole Latchkey',
      run: (root, args) => runProgram(root, 'all', 'scripts/conformance/run.ts', args),
    },
    bench: {
      does: 'runs the benchmarks and prints their ratios',
      run: (root, args) => runProgram(root, 'all', 'bench/run.ts', args),
    },
    shots: {
      does: 'takes pictures of every screen of the console, on the sample community; --pages: those of the help pages',
      run: (root, args) => runProgram(root, 'all', 'scripts/shots/run.ts', args),
    },
    pack: {
      does: 'builds the packages for others and writes their tarballs into dist/',
      run: (root, args) => runProgram(root, 'all', 'scripts/packages/run.ts', args),
    },
    'new-miniapp': {
      does: 'writes a new mini-app into a folder',
      run: (_root, args) => newMiniApp(args),
    },
    latchkey: {
      does: 'runs a command of the latchkey command line',
      run: (root, args) => runProgram(root, ownDatabase() ? 'production' : 'sandbox', commandLine, args),
    },
  }),
);

/** Whether a database of the operator's own is set. Without one, commands work with the embedded one. */
function ownDatabase() {
  const { DATABASE_URL, LATCHKEY_SIGNER_DATABASE_URL } = process.env;
  return Boolean(DATABASE_URL || LATCHKEY_SIGNER_DATABASE_URL);
}

/**
 * Runs a task by its name and answers the exit code.
 * @param {string[]} words the task's name, then its arguments
 */
export async function runTask([name, ...args], root = cloneRoot) {
  const task = tasks.get(name ?? '');
  if (!task) {
    console.error(`${name ? `There is no task "${name}".` : 'Name a task.'} The tasks are:\n${listTasks()}`);
    return 1;
  }
  try {
    return await task.run(root, args);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    console.error(error.message);
    return 1;
  }
}

/**
 * @param {import('./tests/find-files.mjs').Tier} tier
 * @param {string[]} args parts of paths, and the flags --name=PATTERN and --seed=TEXT
 * @returns {import('./tests/run-tests.mjs').Wanted}
 */
function readWanted(tier, args) {
  /** @type {import('./tests/run-tests.mjs').Wanted} */
  const wanted = { tier, filters: [] };
  for (const arg of args) {
    const [, flag, value] = /^--(\w+)=(.*)$/.exec(arg) ?? [];
    if (flag === 'name') wanted.name = value;
    else if (flag === 'seed') wanted.seed = value;
    else if (arg.startsWith('-')) throw new Problem(`Unknown flag ${arg}. Use --name=PATTERN or --seed=TEXT.`);
    else wanted.filters.push(arg);
  }
  return wanted;
}

function listTasks() {
  return [...tasks].map(([name, { does }]) => `  ${name.padEnd(11)} ${does}`).join('\n');
}
