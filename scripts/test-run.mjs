import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { Problem } from './problem.mjs';
import { nodeEnvironment } from './setup/node.mjs';
import { setUp } from './setup/set-up.mjs';
import { seconds, step } from './step.mjs';
import { findTestFiles } from './test-files.mjs';
import { runTestFiles } from './test-process.mjs';

const slowestShown = 10;
const worthShowingMs = 100;

/** The checks that are no tests; each counts as one test. */
const checks = [
  { name: 'Types', program: 'node_modules/typescript/bin/tsc', args: ['-p', 'tsconfig.json'] },
  { name: 'Lint', program: 'node_modules/@biomejs/biome/bin/biome', args: ['ci', '.', '--colors=off'] },
];

/**
 * Runs the checks and the tests of a clone. The last line printed is always `N passed, N failed`.
 * @param {string} root
 * @param {{ slow: boolean, filters: string[] }} wanted
 * @returns {Promise<number>} the exit code
 */
export async function runTests(root, wanted) {
  const totals = { passed: 0, failed: 0 };
  try {
    const node = await setUp(root, 'all');
    for (const check of checks) count(totals, await runCheck(root, node, check));
    count(totals, await runTestsIn(realpathSync(root), node, wanted));
  } catch (error) {
    console.error(error instanceof Problem ? error.message : error);
    totals.failed += 1;
  }
  console.log(`${totals.passed} passed, ${totals.failed} failed`);
  return totals.failed === 0 && totals.passed > 0 ? 0 : 1;
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
 * @param {{ slow: boolean, filters: string[] }} wanted
 */
export async function runTestsIn(root, node, wanted) {
  const files = findTestFiles(root, wanted);
  if (files.length === 0) throw new Problem(`No test file has a path that contains ${wanted.filters.join(' or ')}.`);
  console.log(`Tests: ${files.length} ${files.length === 1 ? 'file' : 'files'}, a dot for each`);
  const startedAt = performance.now();
  const tally = await runTestFiles(root, node, files, { onFile: (passed) => process.stdout.write(passed ? '.' : 'F') });
  console.log(['', ...tally.failures.map(failureText), ...slowestText(tally.timings)].join('\n'));
  const { passed, skipped, failures } = tally;
  const took = seconds(performance.now() - startedAt);
  console.log(`\nTests took ${took}: ${passed} passed, ${failures.length} failed, ${skipped} skipped.`);
  return { passed, failed: failures.length };
}

/** @param {import('./test-tally.mjs').Failure} failure */
function failureText({ title, where, text }) {
  return `\nFAILED ${where}\n  ${title}\n${text.replace(/^(?=.)/gm, '    ')}`;
}

/** @param {import('./test-tally.mjs').Timing[]} timings */
function slowestText(timings) {
  const slow = timings.filter(({ ms }) => ms >= worthShowingMs);
  const slowest = slow.sort((a, b) => b.ms - a.ms).slice(0, slowestShown);
  if (slowest.length === 0) return [];
  return ['\nSlowest:', ...slowest.map(({ ms, where, title }) => `  ${seconds(ms).padStart(6)}  ${where}  ${title}`)];
}
