import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { run } from 'node:test';

const preloaded = ['short-resolve.mjs', 'untracked-promises.mjs'];
const checkEveryMs = 1_000;

/** @typedef {{ silenceLimitMs: number }} Limits how long a process may say nothing */
/**
 * @typedef {{
 *   root: string, program: string, argv?: string[], name?: string, signal: AbortSignal, limits: Limits,
 * }} ProcessOrder
 */
/** @typedef {import('./file-tally.mjs').Data} Data */
/**
 * How a process of tests ended. `silentMs` is there when it was stopped for having said nothing for so long, `cpuSeconds`
 * when the system tells.
 * @typedef {{
 *   error?: import('./file-tally.mjs').TestError, silentMs?: number, tookMs: number, cpuSeconds?: number,
 * }} ProcessEnd
 */

/**
 * Runs a program of tests with Node's own runner, in a process of its own, and hands on what it tells of its tests.
 * @param {ProcessOrder} order
 * @param {(type: string, data: Data) => void} hear
 * @returns {Promise<ProcessEnd>}
 */
export async function followProcess({ root, program, argv = [], name, signal, limits }, hear) {
  const startedAt = performance.now();
  const silence = watchForSilence(limits.silenceLimitMs);
  const cpuFile = join(tmpdir(), `cpu-${randomUUID()}`);
  const events = run({
    cwd: root,
    files: [program],
    argv,
    isolation: 'process',
    execArgv: [...preloaded, `tell-cpu.mjs?to=${encodeURIComponent(cpuFile)}`].map(
      (module) => `--import=${new URL(module, import.meta.url).href}`,
    ),
    concurrency: 1,
    signal: AbortSignal.any([signal, silence.signal]),
    ...(name !== undefined && { testNamePatterns: [name] }),
  });
  /** @type {ProcessEnd['error']} */
  let error;
  for await (const { type, data } of events) {
    silence.heard();
    const { file: of, nesting, name: title, testId } = /** @type {Data} */ (data);
    const isWhole = nesting === 0 && testId !== undefined && resolve(root, title) === of;
    if (!isWhole) hear(type, /** @type {Data} */ (data));
    else if (type === 'test:complete') error = data.details.error;
  }
  silence.stop();
  return {
    error,
    silentMs: silence.limitReached(),
    tookMs: performance.now() - startedAt,
    cpuSeconds: readCpu(cpuFile),
  };
}

/** @param {string} file */
function readCpu(file) {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** What a second is worth on this machine now, as `fairShare` of packages/test-kit counts the patience of a test. */
function fairShare() {
  return Math.min(1, availableParallelism() / (loadavg()[0] ?? 0));
}

/**
 * Stops a process that has said nothing for long: a test that waits for what never comes, one that keeps its processor
 * busy, or what a file left open after its last test. A limit of Node's own runner would count the parts of a test together.
 * @param {number} limitMs
 */
function watchForSilence(limitMs) {
  const stopping = new AbortController();
  let silentMs = 0;
  let checkedAt = performance.now();
  const watch = setInterval(
    () => {
      const now = performance.now();
      silentMs += (now - checkedAt) * fairShare();
      checkedAt = now;
      if (silentMs > limitMs) stopping.abort();
    },
    Math.min(limitMs, checkEveryMs),
  );
  return {
    signal: stopping.signal,
    heard: () => {
      silentMs = 0;
      checkedAt = performance.now();
    },
    limitReached: () => (stopping.signal.aborted ? limitMs : undefined),
    stop: () => clearInterval(watch),
  };
}
