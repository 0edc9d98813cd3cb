// The thread that watches the event loop of its process. It is JavaScript, because a thread that loads TypeScript takes
// twice the memory, and every process has one.
import { readFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { cellOf, tickMs } from './agreed.mjs';
import { endProcess } from './end-process.mjs';
import { createHangClock } from './hang-clock.mjs';

/**
 * @typedef {object} WatchdogOptions
 * @property {SharedArrayBuffer} memory the cells that the main thread writes with each heartbeat
 * @property {number} limitMs how long the main thread may be stuck
 * @property {string} name the name of the process, for example server-2
 * @property {string} recordFile where hangs are counted
 * @property {string} root the folder of the program, removed from paths in the log
 */

/** How long the main thread has waited for a CPU, if the system reports it. Its thread id is the process id. */
function readWaitedMs() {
  try {
    const [, waitedNs] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
    return Number(waitedNs) / 1e6;
  } catch {
    return 0;
  }
}

/** @param {WatchdogOptions} options */
function watch({ memory, limitMs, name, recordFile, root }) {
  const cells = new Int32Array(memory);
  const clock = createHangClock({ limitMs, longestTickMs: 2 * tickMs });
  let lastTickAt = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const isHanging = clock.tick({
      beat: Atomics.load(cells, cellOf.beat),
      isDebugged: Atomics.load(cells, cellOf.isDebugged) === 1,
      elapsedMs: now - lastTickAt,
      readWaitedMs,
    });
    lastTickAt = now;
    if (!isHanging) return;
    clearInterval(timer);
    const children = [...cells.subarray(cellOf.firstChild)].filter((pid) => pid > 0);
    void endProcess({ name, stuckMs: clock.stuckMs(), children, recordFile, root });
  }, tickMs);
}

watch(workerData);
