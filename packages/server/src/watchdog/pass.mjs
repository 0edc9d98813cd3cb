const tickMs = 100;

/**
 * Resolves after a time that this thread was there for: each tick lets it do what has become possible. On a machine that
 * lets it run now and then only, a time of day would be over before anything was done.
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
