// At most this many requests run at once, because public endpoints limit concurrency.
const width = 8;

/** Returns what was read for a key, or throws why it is unknown. A failure affects only its own key. */
export type LookUp<Value> = (key: string) => Value;

/** Reads a value for each key, a few at a time. */
export async function lookUp<Value>(
  keys: Iterable<string>,
  read: (key: string) => Promise<Value>,
): Promise<LookUp<Value>> {
  const found = new Map<string, () => Value>();
  const left = new Set(keys).values();
  const work = async () => {
    for (const key of left) {
      try {
        const value = await read(key);
        found.set(key, () => value);
      } catch (error) {
        found.set(key, () => {
          throw error;
        });
      }
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  return (key) => {
    const value = found.get(key);
    if (value === undefined) throw new Error(`Unexpected key ${key}.`);
    return value();
  };
}

/** Returns what was read for a key, or undefined if it is unknown. */
export function known<Value>(found: LookUp<Value>, key: string): Value | undefined {
  try {
    return found(key);
  } catch {
    return undefined;
  }
}
