import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newMiniApp } from './new-miniapp.mjs';
import { Problem } from './problem.mjs';
import { runProgram } from './run-program.mjs';

const cloneRoot = dirname(dirname(fileURLToPath(import.meta.url)));
const testRunner = fileURLToPath(new URL('tests/run-tests.ts', import.meta.url));
const biome = 'node_modules/@biomejs/biome/bin/biome';
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
      run: (root, args) => runTests(root, 'test', args),
    },
    check: {
      does: 'does the same without the slow tests (*.slow.test.ts)',
      run: (root, args) => runTests(root, 'check', args),
    },
    lint: {
      does: 'checks lint and formatting, of everything or of the files named',
      run: (root, args) => runProgram(root, 'all', biome, ['check', ...(args.length > 0 ? args : ['.'])]),
    },
    format: {
      does: 'formats and applies safe fixes, to everything or to the files named',
      run: (root, args) => runProgram(root, 'all', biome, ['check', '--write', ...(args.length > 0 ? args : ['.'])]),
    },
    'test:deep': {
      does: 'runs the tests that have a volume at their full one, and the clients of others',
      run: (root, args) => runTests(root, 'deep', args),
    },
    sentences: {
      does: 'collects every sentence that a person can see into .cache/sentences.md',
      run: (root, args) => runProgram(root, 'production', 'scripts/sentences.ts', args),
    },
    routes: {
      does: 'lists the operations: method, path, scopes, file, served or not',
      run: (root, args) => runProgram(root, 'production', 'scripts/routes.ts', args),
    },
    openapi: {
      does: 'writes the OpenAPI documents that are committed, and says what changed',
      run: (root, args) => runProgram(root, 'all', 'scripts/openapi.ts', args),
    },
    stories: {
      does: 'plays a story per resource through the original SDK, and prints which operations it showed to be real',
      run: (root, args) => runProgram(root, 'all', 'scripts/stories.ts', args),
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
      run: (root, args) => runProgram(root, hasOwnDatabase(root) ? 'production' : 'sandbox', commandLine, args),
    },
  }),
);

const ownDatabases = ['DATABASE_URL', 'LATCHKEY_SIGNER_DATABASE_URL'];

/**
 * Whether the operator's own database is configured, in the environment or in the file `.env`. Without one, commands use the embedded one.
 * @param {string} root
 */
function hasOwnDatabase(root) {
  const file = join(root, '.env');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return ownDatabases.some((name) => {
    const isInFile = lines.some((line) => new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=\\s*[^\\s#]`).test(line));
    return process.env[name] === undefined ? isInFile : process.env[name] !== '';
  });
}

/**
 * Runs a task by its name and returns the exit code.
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
 * Whatever goes wrong before the first test, the last line counts it.
 * @param {string} root
 * @param {'check' | 'test' | 'deep'} tier
 * @param {string[]} args
 */
async function runTests(root, tier, args) {
  try {
    return await runProgram(root, 'all', testRunner, [tier, ...args]);
  } catch (error) {
    console.error(error instanceof Problem ? error.message : error);
    console.log('0 passed, 1 failed');
    return 1;
  }
}

function listTasks() {
  return [...tasks].map(([name, { does }]) => `  ${name.padEnd(11)} ${does}`).join('\n');
}
