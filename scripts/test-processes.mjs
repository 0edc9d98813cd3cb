import { availableParallelism } from 'node:os';
import { listed, runTestProcess } from './test-process.mjs';
import { dealFiles, readFileSeconds } from './test-shares.mjs';

/** More would not fit: each needs up to 2 GB, and some tests start several servers that must answer in time. */
const mostProcesses = 2;

/**
 * @typedef {{
 *   passed: number,
 *   skipped: number,
 *   failures: import('./test-tally.mjs').Failure[],
 *   timings: import('./test-tally.mjs').Timing[],
 *   fileTimings: { file: string, ms: number }[],
 * }} Outcome
 */

/**
 * Runs test files in processes side by side and sums up what comes of them. Each file runs in one of them only.
 * @param {string} root
 * @param {import('./setup/node.mjs').Node} node
 * @param {string[]} files
 * @param {import('./test-process.mjs').Options & { processes?: number }} [options]
 * @returns {Promise<Outcome>}
 */
export async function runTestFiles(root, node, files, options = {}) {
  const { processes = Math.min(mostProcesses, availableParallelism()) } = options;
  const shares = dealFiles(files, readFileSeconds(root), processes);
  const ends = await Promise.all(shares.map((share) => runTestProcess(root, node, share, options)));
  const tallies = ends.map(({ tally }) => tally);
  const failures = tallies.flatMap((tally) => tally.failures);
  const interrupted = ends.find((end) => end.interrupted)?.interrupted;
  if (interrupted) {
    const open = ends.flatMap((end) => (end.interrupted ? end.tally.unfinished().files : []));
    const text = `The run was interrupted by ${interrupted}.${listed('Not finished', open)}`;
    failures.push({ title: 'the test process', where: 'the run', text });
  }
  return {
    passed: tallies.reduce((sum, { passed }) => sum + passed, 0),
    skipped: tallies.reduce((sum, { skipped }) => sum + skipped, 0),
    failures,
    timings: tallies.flatMap((tally) => tally.timings),
    fileTimings: tallies.flatMap((tally) => tally.fileTimings),
  };
}
