import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Problem } from '../problem.mjs';
import { setUpChromium } from '../setup/chromium.mjs';
import { nodeEnvironment } from '../setup/node.mjs';
import { markRunning } from '../setup/running.mjs';
import { setUp } from '../setup/set-up.mjs';
import { passSignals } from '../signals.mjs';
import { seconds } from '../step.mjs';
import { findTestFiles } from './find-files.mjs';
import { makeRunFolder } from './run-folder.mjs';

const program = fileURLToPath(new URL('run-files.mjs', import.meta.url));
const minuteMs = 60_000;

/**
 * How long no test of a process may begin or end before the process is stopped. Nothing limits a test with parts, a suite,
 * a file or the run as a whole: on a busy machine a sum of many short steps is as long as one that hangs.
 */
const limits = {
  check: { silenceLimitMs: 10 * minuteMs },
  test: { silenceLimitMs: 10 * minuteMs },
  deep: { silenceLimitMs: 60 * minuteMs },
};

/** Where the compiler keeps what it found, so that the next run checks only what changed. `npm ci` removes it. */
const compilerState = 'node_modules/.types.tsbuildinfo';
/**
 * The checks that are no tests; each counts as one test. Two checkers would do half of their work twice, and the tests keep
 * the other processor busy. The compiler is a Go program: with GOGC it collects garbage less often.
 */
const types = {
  name: 'Types',
  program: 'node_modules/typescript/bin/tsc',
  args: ['-p', 'tsconfig.json', '--checkers', '1', '--incremental', '--tsBuildInfoFile', compilerState],
  env: { GOGC: '400' },
};
const lint = { name: 'Lint', program: 'node_modules/@biomejs/biome/bin/biome', args: ['ci', '.', '--colors=off'] };
/** The documentation portal is built, unless it is there already, for the tests that open it. */
const portal = { name: 'Portal', program: 'apps/portal/build.ts', args: ['--unless-fresh'] };
const opensPortal = /^apps\/portal\/.*\.slow\.test\.ts$/;
const mayOpenBrowser = /\.slow\.test\.ts$/;
/** Clients that are none of ours, some of them not from npm. */
const conformance = { name: 'Conformance', program: 'scripts/conformance/run.ts', args: [] };

/** @typedef {{ tier: import('./find-files.mjs').Tier, filters: string[], name?: string, seed?: string }} Wanted */
/** @typedef {import('./run-files.mjs').Found} Found */

/**
 * Runs the checks and the tests of a clone. The last line printed is always `N passed, N failed`.
 * @param {string} root
 * @param {Wanted} wanted
 * @returns {Promise<number>} the exit code
 */
export async function runTests(root, wanted) {
  const startedAt = performance.now();
  /** @type {Found} */
  const totals = { passed: 0, failed: 0, skipped: {} };
  const mark = markRunning(root, 'npm test');
  try {
    await runAll(realpathSync(root), wanted, totals, mark);
  } catch (error) {
    console.error(error instanceof Problem ? error.message : error);
    totals.failed += 1;
  } finally {
    mark.release();
  }
  for (const [why, tests] of Object.entries(totals.skipped)) console.log(`Not run: ${tests} (${why}).`);
  console.log(`Total time: ${seconds(performance.now() - startedAt)}`);
  console.log(`${totals.passed} passed, ${totals.failed} failed`);
  return totals.failed === 0 && totals.passed > 0 ? 0 : 1;
}

/**
 * @param {string} root
 * @param {Wanted} wanted
 * @param {Found} totals
 * @param {import('../setup/running.mjs').Mark} mark
 */
async function runAll(root, wanted, totals, mark) {
  const { tier, filters, name } = wanted;
  const files = findTestFiles(root, tier, filters);
  if (files.length === 0 && filters.length > 0)
    throw new Problem(
      `No ${tier === 'deep' ? 'deep ' : ''}test file has a path that contains ${filters.join(' or ')}.`,
    );
  const node = await setUp(root, 'all', mark);
  const browser = files.some((file) => mayOpenBrowser.test(file)) ? await setUpBrowser(root) : {};
  const chosen = filters.length > 0;
  const checks = [
    ...(chosen || tier === 'deep' ? [] : [types, lint]),
    ...(files.some((file) => opensPortal.test(file)) ? [portal] : []),
    ...(tier === 'deep' && !chosen ? [conformance] : []),
  ];
  const folder = makeRunFolder();
  const order = {
    root,
    files,
    folder: folder.path,
    name,
    // A chosen test is looked for in files that are run as its author runs them.
    sharesProcesses: tier !== 'deep' && name === undefined,
    tellsFigures: tier === 'deep',
    ...limits[tier],
  };
  const env = {
    ...nodeEnvironment(root, node),
    ...folder.env,
    ...browser,
    ...volumeOf(wanted),
    NODE_TEST_CONTEXT: undefined,
  };
  try {
    // All at once: none of them keeps two processors busy to its end. The tests wait for the portal, which they open, and
    // for whatever a deep run measures; types and lint go on beside them.
    if (checks.length > 0) console.log(`Checks: ${checks.map((check) => check.name).join(', ')}`);
    const running = checks.map((check) => {
      const found = report(check.name, () => runProgram(root, node, check, folder.env), tier === 'deep');
      return { found, isAwaited: check === portal || check === conformance };
    });
    for (const { found, isAwaited } of running) if (isAwaited) await found;
    console.log(`Tests: ${files.length} ${files.length === 1 ? 'file' : 'files'}`);
    const ofTests = await runFiles(node, order, env);
    for (const found of [ofTests, ...(await Promise.all(running.map(({ found }) => found)))]) add(totals, found);
  } finally {
    await folder.sweepUp();
  }
}

/**
 * How much the tests do, and from which seed. A deep run draws a seed, so that every run looks elsewhere.
 * @param {Wanted} wanted
 * @returns {NodeJS.ProcessEnv}
 */
function volumeOf({ tier, seed }) {
  const chosen = seed ?? process.env.LATCHKEY_TEST_SEED;
  if (tier !== 'deep') return chosen === undefined ? {} : { LATCHKEY_TEST_SEED: chosen };
  const drawn = chosen ?? randomBytes(4).toString('hex');
  console.log(`Seed: ${drawn}. To repeat this run: npm run test:deep -- --seed=${drawn}`);
  return { LATCHKEY_TEST_SEED: drawn, LATCHKEY_TEST_VOLUME: process.env.LATCHKEY_TEST_VOLUME ?? 'deep' };
}

/**
 * Without a browser the tests of the pages are not run; everything else is.
 * @param {string} root
 * @returns {Promise<NodeJS.ProcessEnv>}
 */
async function setUpBrowser(root) {
  try {
    return { LATCHKEY_CHROMIUM: await setUpChromium(root) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    console.error(`${error.message} All other tests run without it.`);
    return { LATCHKEY_CHROMIUM: '' };
  }
}

/**
 * @param {Found} totals
 * @param {Found} more
 */
function add(totals, more) {
  totals.passed += more.passed;
  totals.failed += more.failed;
  for (const [why, tests] of Object.entries(more.skipped)) totals.skipped[why] = (totals.skipped[why] ?? 0) + tests;
}

/** @typedef {{ code: number | null, output: string }} End */

/**
 * @param {string} root
 * @param {import('../setup/node.mjs').Node} node
 * @param {{ program: string, args: string[], env?: NodeJS.ProcessEnv }} check
 * @param {NodeJS.ProcessEnv} runEnvironment names the run, so that what it leaves is swept up with it
 * @returns {Promise<End>}
 */
function runProgram(root, node, { program, args, env }, runEnvironment) {
  const child = spawn(node.path, [program, ...args], {
    cwd: root,
    env: { ...nodeEnvironment(root, node), ...runEnvironment, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, output: error.message }));
    child.once('close', (code) => resolve({ code, output }));
  });
}

/**
 * @param {string} name
 * @param {() => Promise<End>} run
 * @param {boolean} isShown whether its output is also shown when it passed
 * @returns {Promise<Found>}
 */
async function report(name, run, isShown) {
  const startedAt = performance.now();
  const { code, output } = await run();
  // One line when it has ended: others end meanwhile.
  console.log(`${name} … ${code === 0 ? 'passed' : 'failed'} in ${seconds(performance.now() - startedAt)}`);
  if (code !== 0 || isShown) console.log(output.trimEnd());
  return code === 0 ? { passed: 1, failed: 0, skipped: {} } : { passed: 0, failed: 1, skipped: {} };
}

/**
 * @param {import('../setup/node.mjs').Node} node
 * @param {import('./run-files.mjs').Order} order
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Found>}
 */
async function runFiles(node, order, env) {
  const signals = passSignals();
  const child = spawn(node.path, [program], { cwd: order.root, env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  signals.to(child);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', (error) => reject(new Problem(`The tests could not be started: ${error.message}`)));
      child.once('message', (found) => resolve(/** @type {Found} */ (found)));
      child.once('exit', (code, signal) =>
        reject(new Problem(`The tests ended before their time (${signal ?? `code ${code}`}).`)),
      );
      child.send(order);
    });
  } finally {
    signals.stop();
    if (child.connected) child.disconnect();
  }
}
