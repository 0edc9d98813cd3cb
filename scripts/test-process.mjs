import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { nodeEnvironment } from './setup/node.mjs';
import { passSignals } from './signals.mjs';
import { seconds } from './step.mjs';
import { Tally } from './test-tally.mjs';

const reporter = fileURLToPath(new URL('test-reporter.mjs', import.meta.url));
const resultsFd = 3;
const drainMs = 500;

/** How long things may take before the run is stopped. */
export const usualLimits = { wholeRunMs: 22 * 60_000, oneTestMs: 5 * 60_000, closingMs: 30_000, dyingMs: 10_000 };

/**
 * @typedef {{ limits?: typeof usualLimits, onFile?: (passed: boolean) => void, env?: NodeJS.ProcessEnv }} Options
 *   env: what the tests are told beside the usual environment
 */

/**
 * Runs test files in one process and counts what comes of it. Whatever happens to that process, this answers.
 * @param {string} root
 * @param {import('./setup/node.mjs').Node} node
 * @param {string[]} files
 * @param {Options} options
 * @returns {Promise<{ tally: Tally, interrupted: NodeJS.Signals | undefined }>}
 */
export async function runTestProcess(root, node, files, { limits = usualLimits, onFile, env }) {
  const tally = new Tally(root, files, onFile);
  const flags = [
    '--test',
    '--test-isolation=none',
    `--test-timeout=${limits.oneTestMs}`,
    `--test-reporter=${reporter}`,
  ];
  const child = spawn(node.path, [...flags, ...files], {
    cwd: root,
    // Without this, a run started by a test would take itself for a part of that test's run.
    env: { ...nodeEnvironment(root, node), ...env, NODE_TEST_CONTEXT: undefined },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const signals = passSignals(child);
  const watch = watchOver(child, tally, limits);
  // What tests print goes to the error stream, so that the output of the run itself stays readable by programs.
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => process.stderr.write(chunk));
  const end = await endOf(child);
  watch.stop();
  signals.stop();
  const interrupted = signals.received();
  // Whoever started several processes says once that they were interrupted.
  if (!interrupted) judgeEnd(tally, { ...end, stopped: watch.reason() });
  return { tally, interrupted };
}

/**
 * Feeds the tally, and stops a process that takes too long or does not end after its last test.
 * @param {import('node:child_process').ChildProcess} child
 * @param {Tally} tally
 * @param {typeof usualLimits} limits
 */
function watchOver(child, tally, limits) {
  let reason = '';
  /** @type {NodeJS.Timeout | undefined} */
  let closing;
  /** @param {string} why */
  const stopBecause = (why) => {
    reason ||= why;
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), limits.dyingMs).unref();
  };
  const whole = setTimeout(
    () => stopBecause(`The tests were stopped after ${seconds(limits.wholeRunMs)}.`),
    limits.wholeRunMs,
  );
  const results = /** @type {import('node:stream').Readable} */ (child.stdio[resultsFd]);
  createInterface({ input: results }).on('line', (line) => {
    // A stopped process reports the tests it cancels; those are not results.
    if (!reason) tally.take(JSON.parse(line));
    clearTimeout(closing);
    if (tally.idle) closing = setTimeout(() => stopBecause(describeLeftOpen(tally)), limits.closingMs);
  });
  const stop = () => {
    clearTimeout(whole);
    clearTimeout(closing);
  };
  return { reason: () => reason, stop };
}

/** @param {Tally} tally */
function describeLeftOpen(tally) {
  const kinds = new Set(tally.leftOpen);
  // The pipes of this process itself are always there; they tell something only if there is nothing else.
  if (kinds.size > 1) kinds.delete('PipeWrap');
  return (
    `All tests ended, but something they left open kept the process alive (${[...kinds].join(', ') || 'unknown'}). ` +
    'Run the files one by one (npm test -- <path>) to find which.'
  );
}

/** @typedef {{ code: number | null, signal: string | null, unstarted?: string }} End */

/**
 * Counts as a failure every way for the process to end that its tests do not explain.
 * @param {Tally} tally
 * @param {End & { stopped: string }} end
 */
function judgeEnd(tally, { code, signal, unstarted, stopped }) {
  const { files, running } = tally.unfinished();
  const open = listed('Not finished', files);
  const tests = listed('Running at the time', running);
  const how = signal ? `was killed by ${signal}` : `ended with code ${code}`;
  const fail = (/** @type {string} */ text) => tally.fail('the test process', 'the run', text);
  if (unstarted) fail(`The test process could not be started: ${unstarted}${open}`);
  else if (stopped) fail(stopped + (tally.idle ? '' : open + tests));
  else if (!tally.finished) fail(`The test process ${how} before its tests had ended.${open}${tests}`);
  else if (code !== 0 && tally.failures.length === 0) fail(`The test process ${how} although no test failed.`);
}

/**
 * @param {string} title
 * @param {string[]} lines
 */
export function listed(title, lines) {
  return lines.length > 0 ? `\n${title}:\n${lines.map((line) => `  ${line}`).join('\n')}` : '';
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<End>}
 */
async function endOf(child) {
  /** @type {Promise<End>} */
  const exited = new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, unstarted: error.message }));
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const end = await exited;
  // A server that a test left running may hold the pipes open: read what is there, then let go of them.
  await Promise.race([closed, sleep(drainMs, undefined, { ref: false })]);
  for (const stream of child.stdio) stream?.destroy();
  return end;
}
