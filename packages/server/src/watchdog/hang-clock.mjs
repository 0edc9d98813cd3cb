/**
 * Measures how long the main thread has been stuck, from one tick of the watchdog to the next.
 *
 * It adds up the watchdog's own ticks instead of comparing wall clock times: a process that was suspended, stopped or
 * frozen with its machine resumes after one long tick, which counts as a short one. Time that the main thread spent
 * waiting for a CPU does not count either, so that a busy machine does not look like a hang.
 *
 * @param {{ limitMs: number, longestTickMs: number }} options
 */
export function createHangClock({ limitMs, longestTickMs }) {
  /** @type {number | undefined} */
  let lastBeat;
  /** @type {number | undefined} */
  let waitedMs;
  let stuckMs = 0;

  return {
    /**
     * @param {object} seen
     * @param {number} seen.beat changes whenever the event loop turns
     * @param {boolean} seen.isDebugged whether a debugger may hold the main thread
     * @param {number} seen.elapsedMs since the previous tick
     * @param {() => number} seen.readWaitedMs how long the main thread has waited for a CPU since it started
     * @returns {boolean} whether the process hangs
     */
    tick({ beat, isDebugged, elapsedMs, readWaitedMs }) {
      if (beat !== lastBeat || isDebugged) {
        lastBeat = beat;
        waitedMs = undefined;
        stuckMs = 0;
        return false;
      }
      const waitedNow = readWaitedMs();
      // The first tick without a heartbeat only sets the starting point, so that a healthy process reads no files.
      if (waitedMs !== undefined)
        stuckMs += Math.max(0, Math.min(elapsedMs, longestTickMs) - Math.max(0, waitedNow - waitedMs));
      waitedMs = waitedNow;
      return stuckMs >= limitMs;
    },
    stuckMs: () => stuckMs,
  };
}
