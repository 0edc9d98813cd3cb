// Runs test files with Node's own runner, some at a time, and prints a line for each as it ends. Started by
// run-tests.mjs with the pinned Node; what it found goes back over the channel between the two.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { seconds } from '../step.mjs';
import { groupTestFiles } from './find-files.mjs';
import { runFile } from './run-file.mjs';
import { runTogether } from './run-together.mjs';

/**
 * @typedef {import('./run-file.mjs').Limits & {
 *   root: string, files: string[], folder: string, name?: string, sharesProcesses: boolean, tellsFigures: boolean,
 * }} Order
 */
/** @typedef {{ passed: number, failed: number, skipped: Record<string, number> }} Found */

/** More than there are processors, since tests wait too; and not many, since a file may start several servers. */
const filesAtOnce = Math.min(4, availableParallelism() + 2);
const sharedCluster = 'packages/db/src/testing/shared-cluster.ts';

process.once('message', async (message) => {
  const found = await runFiles(/** @type {Order} */ (message));
  process.send?.(found, () => process.disconnect());
});
// Whoever asked is gone: what is running would go on for nobody.
process.once('disconnect', () => process.exit(1));

/**
 * @param {Order} order
 * @returns {Promise<Found>}
 */
async function runFiles(order) {
  const { root, files, name, silenceLimitMs } = order;
  /** @type {Found} */
  const found = { passed: 0, failed: 0, skipped: {} };
  const stopping = new AbortController();
  const interrupted = listenForSignals(stopping);
  const cluster = shareCluster(order);
  const groups = order.sharesProcesses ? groupTestFiles(root, files) : files.map((path) => [path]);
  const waiting = groups.values();
  let ended = 0;
  const limits = { silenceLimitMs };
  /**
   * @param {string} path
   * @param {import('./file-tally.mjs').FileTally} file
   */
  const count = (path, file) => {
    ended += 1;
    found.passed += file.passed;
    found.failed += file.failures.length;
    for (const why of file.skipped) found.skipped[why] = (found.skipped[why] ?? 0) + 1;
    console.log(describe(path, file, `${ended} of ${files.length}`, order.tellsFigures));
  };
  const workThrough = async () => {
    for (const paths of waiting) {
      if (stopping.signal.aborted) return;
      const [path = '', ...others] = paths;
      if (others.length === 0) count(path, await runFile({ root, path, name, signal: stopping.signal, limits }));
      else {
        const together = await runTogether({ root, paths, signal: stopping.signal, limits });
        for (const [each, file] of together.files) count(each, file);
        if (together.cpuSeconds !== undefined)
          console.log(
            `               These ${paths.length} shared a process: ${seconds(together.cpuSeconds * 1_000)} CPU.`,
          );
      }
    }
  };
  await Promise.all(Array.from({ length: filesAtOnce }, workThrough));
  await (await cluster)?.().catch(() => undefined);
  if (interrupted()) {
    found.failed += 1;
    console.log(`The run was interrupted by ${interrupted()}; ${files.length - ended} files were not run.`);
  }
  return found;
}

/**
 * @param {string} path
 * @param {import('./file-tally.mjs').FileTally} file
 * @param {string} place
 * @param {boolean} tellsFigures
 */
function describe(path, { failures, skipped, passed, tookMs, cpuSeconds, told }, place, tellsFigures) {
  const notRun = skipped.length > 0 ? `, ${skipped.length} not run` : '';
  const failed = failures.length > 0 ? `, ${failures.length} failed` : '';
  const cpu = cpuSeconds === undefined ? '' : `, ${seconds(cpuSeconds * 1_000)} CPU`;
  const line = `${failures.length > 0 ? 'FAILED' : 'ok'.padEnd(6)} ${seconds(tookMs).padStart(6)}  ${path}: ${passed} passed${failed}${notRun}${cpu}  (${place})`;
  const figures = tellsFigures || failures.length > 0 ? told.filter((text) => !text.startsWith('Error: ')) : [];
  return [line, ...failures.map(failureText), ...figures.map((text) => text.replace(/^/gm, ' '.repeat(15)))].join('\n');
}

/** @param {import('./file-tally.mjs').Failure} failure */
function failureText({ title, where, text }) {
  return `\n  FAILED ${where}\n    ${title}\n${text.replace(/^(?=.)/gm, '      ')}\n`;
}

/**
 * The first signal stops the run; what is running is reported as stopped.
 * @param {AbortController} stopping
 */
function listenForSignals(stopping) {
  /** @type {NodeJS.Signals | undefined} */
  let received;
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => {
      received ??= signal;
      stopping.abort();
    });
  return () => received;
}

/**
 * Starts the database server that the files share, while the first of them already run.
 * @param {Order} order
 * @returns {Promise<undefined | (() => Promise<void>)>}
 */
async function shareCluster({ root, folder }) {
  const program = join(root, sharedCluster);
  if (!existsSync(program)) return undefined;
  const file = join(folder, 'shared-cluster.json');
  process.env.LATCHKEY_TEST_CLUSTER = file;
  const { shareCluster: share } = await import(pathToFileURL(program).href);
  // Whoever wants a database is told why there is none.
  return share(folder, file).catch(() => undefined);
}
