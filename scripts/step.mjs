/**
 * Runs one step and prints one line about it: its name, its result and its duration.
 * @template T
 * @param {NodeJS.WritableStream} out
 * @param {string} name
 * @param {() => Promise<T>} work
 * @param {(result: T) => string} [ending]
 * @returns {Promise<T>}
 */
export async function step(out, name, work, ending = () => 'done') {
  const startedAt = performance.now();
  const took = () => `in ${seconds(performance.now() - startedAt)}\n`;
  out.write(`${name} … `);
  try {
    const result = await work();
    out.write(`${ending(result)} ${took()}`);
    return result;
  } catch (error) {
    out.write(`failed ${took()}`);
    throw error;
  }
}

/** @param {number} ms */
export function seconds(ms) {
  return ms < 9_950 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 1_000)} s`;
}
