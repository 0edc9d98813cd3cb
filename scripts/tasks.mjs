import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newMiniApp } from './new-miniapp.mjs';
import { Problem } from './problem.mjs';
import { runProgram } from './run-program.mjs';
import { runTests } from './test-run.mjs';

const cloneRoot = dirname(dirname(fileURLToPath(import.meta.url)));
const recordFlag = '--record';
const commandLine = 'packages/server/src/cli/main.ts';

/** @typedef {{ does: string, run: (root: string, args: string[]) => Promise<number> }} Task */

/** @type {Map<string, Task>} */
const tasks = new Map(
  Object.entries({
    start: {
      does: 'starts the database, the API and the worker',
      run: (root, args) => runProgram(root, 'runtime', commandLine, ['start', ...args]),
    },
    demo: {
      does: 'plays the story of a role in the terminal, on a sample community',
      run: (root, args) => runProgram(root, 'runtime', commandLine, ['demo', ...args]),
    },
    test: {
      does: 'checks types and lint and runs every test, or those whose path contains an argument',
      run: (root, args) => runTests(root, readWanted(args, true)),
    },
    check: {
      does: 'does the same without the slow tests (*.slow.test.ts)',
      run: (root, args) => runTests(root, readWanted(args, false)),
    },
    routes: {
      does: 'lists the operations: method, path, scopes, file, served or not',
      run: (root, args) => runProgram(root, 'runtime', 'scripts/routes.ts', args),
    },
    conformance: {
      does: 'logs in with OpenID Connect clients that are none of ours, against a whole Latchkey',
      run: (root, args) => runProgram(root, 'all', 'scripts/conformance/run.ts', args),
    },
    bench: {
      does: 'runs the benchmarks and prints their ratios',
      run: (root, args) => runProgram(root, 'all', 'bench/run.ts', args),
    },
    'new-miniapp': {
      does: 'writes a new mini-app into a folder',
      run: (_root, args) => newMiniApp(args),
    },
    latchkey: {
      does: 'runs a command of the latchkey command line',
      run: (root, args) => runProgram(root, 'runtime', commandLine, args),
    },
  }),
);

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
 * @param {string[]} args
 * @param {boolean} slow
 */
function readWanted(args, slow) {
  return { slow, filters: args.filter((arg) => arg !== recordFlag), record: args.includes(recordFlag) };
}

function listTasks() {
  return [...tasks].map(([name, { does }]) => `  ${name.padEnd(11)} ${does}`).join('\n');
}
