import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { Problem } from './problem.mjs';
import { setUpChromium } from './setup/chromium.mjs';
import { nodeEnvironment } from './setup/node.mjs';
import { setUp } from './setup/set-up.mjs';
import { seconds, step } from './step.mjs';
import { findTestFiles } from './test-files.mjs';
import { listed } from './test-process.mjs';
import { runTestFiles } from './test-processes.mjs';
import { recordFileSeconds } from './test-shares.mjs';

const slowestShown = 10;
const worthShowingMs = 100;

/** @typedef {{ slow: boolean, filters: string[], record: boolean }} Wanted record: note how long each file took */

/** The checks that are no tests; each counts as one test. */
const checks = [
  { name: 'Types', program: 'node_modules/typescript/bin/tsc', args: ['-p', 'tsconfig.json'] },
  { name: 'Lint', program: 'node_modules/@biomejs/biome/bin/biome', args: ['ci', '.', '--colors=off'] },
];

/** The documentation portal is built, unless it is there already, for the tests that open it. */
const portal = { name: 'Portal', program: 'apps/portal/build.ts', args: ['--unless-fresh'] };
const opensPortal = /^apps\/portal\/.*\.slow\.test\.ts$/;

/**
 * Runs the checks and the tests of a clone. The last line printed is always `N passed, N failed`.
 * @param {string} root
 * @param {Wanted} wanted
 * @returns {Promise<number>} the exit code
 */
export async function runTests(root, wanted) {
  const totals = { passed: 0, failed: 0 };
  try {
    const node = await setUp(root, 'all');
    const env = await setUpBrowser(root, wanted);
    const needsPortal = findTestFiles(root, wanted).some((file) => opensPortal.test(file));
    for (const check of needsPortal ? [...checks, portal] : checks) count(totals, await runCheck(root, node, check));
    count(totals, await runTestsIn(realpathSync(root), node, wanted, env));
  } catch (error) {
    console.error(error instanceof Problem ? error.message : error);
    totals.failed += 1;
  }
  console.log(`${totals.passed} passed, ${totals.failed} failed`);
  return totals.failed === 0 && totals.passed > 0 ? 0 : 1;
}

/**
 * @param {string} root
 * @param {Wanted} wanted
 * @returns {Promise<NodeJS.ProcessEnv>}
 */
async function setUpBrowser(root, wanted) {
  try {
    return { LATCHKEY_CHROMIUM: await setUpChromium(root) };
  } catch (error) {
    // The files that somebody chose may do without one.
    if (wanted.filters.length === 0 || !(error instanceof Problem)) throw error;
    console.error(error.message);
    return {};
  }
}

/**
 * @param {{ passed: number, failed: number }} totals
 * @param {{ passed: number, failed: number }} more
 */
function count(totals, more) {
  totals.passed += more.passed;
  totals.failed += more.failed;
}

/**
 * @param {string} root
 * @param {import('./setup/node.mjs').Node} node
 * @param {{ name: string, program: string, args: string[] }} check
 */
async function runCheck(root, node, { name, program, args }) {
  const run = async () =>
    spawnSync(node.path, [program, ...args], { cwd: root, env: nodeEnvironment(root, node), encoding: 'utf8' });
  const { status, stdout, stderr } = await step(process.stdout, name, run, (end) =>
    end.status === 0 ? 'passed' : 'failed',
  );
  if (status !== 0) console.log(`${stdout}${stderr}`.trimEnd());
  return status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/**
 * @param {string} root
 * @param {import('./setup/node.mjs').Node} node
 * @param {Wanted} wanted
 * @param {NodeJS.ProcessEnv} env
 */
async function runTestsIn(root, node, wanted, env) {
  const files = findTestFiles(root, wanted);
  if (files.length === 0) throw new Problem(`No test file has a path that contains ${wanted.filters.join(' or ')}.`);
  console.log(`Tests: ${files.length} ${files.length === 1 ? 'file' : 'files'}, a dot for each`);
  const startedAt = performance.now();
  const onFile = (/** @type {boolean} */ passed) => process.stdout.write(passed ? '.' : 'F');
  const { passed, skipped, failures, timings, fileTimings } = await runTestFiles(root, node, files, { onFile, env });
  const slowTests = slowest(timings).map(({ ms, where, title }) => `${timeText(ms)}  ${where}  ${title}`);
  const slowFiles = slowest(fileTimings).map(({ ms, file }) => `${timeText(ms)}  ${file}`);
  console.log(
    failures.map(failureText).join('') + listed('\nSlowest tests', slowTests) + listed('\nSlowest files', slowFiles),
  );
  const took = seconds(performance.now() - startedAt);
  console.log(`\nTests took ${took}: ${passed} passed, ${failures.length} failed, ${skipped} skipped.`);
  if (wanted.record) {
    const allFiles = findTestFiles(root, { slow: true, filters: [] });
    console.log(`Their times are recorded in ${recordFileSeconds(root, fileTimings, allFiles)}.`);
  }
  return { passed, failed: failures.length };
}

/** @param {import('./test-tally.mjs').Failure} failure */
function failureText({ title, where, text }) {
  return `\n\nFAILED ${where}\n  ${title}\n${text.replace(/^(?=.)/gm, '    ')}`;
}

/**
 * @template {{ ms: number }} T
 * @param {T[]} timings
 */
function slowest(timings) {
  const slow = timings.filter(({ ms }) => ms >= worthShowingMs);
  return slow.sort((a, b) => b.ms - a.ms).slice(0, slowestShown);
}

/** @param {number} ms */
function timeText(ms) {
  return seconds(ms).padStart(6);
}
