const tickMs = 100;

/**
 * Resolves after this much running time of the thread: between ticks, it can do other work. On an overloaded machine, a
 * wall clock timeout would pass before anything was done.
 * @param {number} ms
 * @returns {Promise<void>}
 */
export function pass(ms) {
  return new Promise((resolve) => {
    let left = ms / tickMs;
    const timer = setInterval(() => {
      left -= 1;
      if (left > 0) return;
      clearInterval(timer);
      resolve();
    }, tickMs);
  });
}
