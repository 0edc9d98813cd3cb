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
export const usualLimits = { wholeRunMs: 20 * 60_000, oneTestMs: 5 * 60_000, closingMs: 30_000, dyingMs: 10_000 };

/**
 * Runs test files in one process and counts what comes of it. Whatever happens to that process, this answers.
 * @param {string} root
 * @param {import('./setup/node.mjs').Node} node
 * @param {string[]} files
 * @param {{ limits?: typeof usualLimits, onFile?: (passed: boolean) => void }} [options]
 * @returns {Promise<Tally>}
 */
export async function runTestFiles(root, node, files, { limits = usualLimits, onFile } = {}) {
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
    env: { ...nodeEnvironment(root, node), NODE_TEST_CONTEXT: undefined },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const signals = passSignals(child);
  const watch = watchOver(child, tally, limits);
  // What tests print goes to the error stream, so that the output of the run itself stays readable by programs.
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => process.stderr.write(chunk));
  const { code, signal } = await endOf(child);
  watch.stop();
  signals.stop();
  judgeEnd(tally, { code, signal, stopped: watch.reason(), interrupted: signals.received() });
  return tally;
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

/**
 * Counts as a failure every way for the process to end that its tests do not explain.
 * @param {Tally} tally
 * @param {{ code: number | null, signal: string | null, stopped: string, interrupted: string | undefined }} end
 */
export function judgeEnd(tally, { code, signal, stopped, interrupted }) {
  const { files, running } = tally.unfinished();
  const open = files.length > 0 ? `\nNot finished:\n${files.map((file) => `  ${file}`).join('\n')}` : '';
  const tests = running.length > 0 ? `\nRunning at the time:\n${running.map((title) => `  ${title}`).join('\n')}` : '';
  const how = signal ? `was killed by ${signal}` : `ended with code ${code}`;
  const fail = (/** @type {string} */ text) => tally.fail('the test process', 'the run', text);
  if (interrupted) fail(`The run was interrupted by ${interrupted}.${open}`);
  else if (stopped) fail(stopped + (tally.idle ? '' : open + tests));
  else if (!tally.finished) fail(`The test process ${how} before its tests had ended.${open}${tests}`);
  else if (code !== 0 && tally.failures.length === 0) fail(`The test process ${how} although no test failed.`);
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<{ code: number | null, signal: string | null }>}
 */
async function endOf(child) {
  /** @type {Promise<{ code: number | null, signal: string | null }>} */
  const exited = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const end = await exited;
  // A server that a test left running may hold the pipes open: read what is there, then let go of them.
  await Promise.race([closed, sleep(drainMs, undefined, { ref: false })]);
  for (const stream of child.stdio) stream?.destroy();
  return end;
}
