/**
 * Runs a task for each item, with limited concurrency, and returns the results in order. After a failure no further
 * task is started, and the error is thrown once the running ones have ended.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  const failures: unknown[] = [];
  const waiting = items.entries();
  const workOn = async () => {
    for (const [index, item] of waiting) {
      if (failures.length > 0) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, workOn));
  if (failures.length > 0) throw failures[0];
  return results;
}
