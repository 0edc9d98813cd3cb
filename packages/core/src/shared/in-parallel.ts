/**
 * Does the same with several things, so many at a time, and answers in their order. After a failure nothing new is
 * started; it is thrown once everything that had been started has ended.
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
