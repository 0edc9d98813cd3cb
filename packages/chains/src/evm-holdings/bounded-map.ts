/** A map that forgets what was not used for long when it is full. */
export interface BoundedMap<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
  readonly size: number;
}

/**
 * Entries live in two generations. When the young one holds half of the limit it becomes the old one, and what nobody asked
 * for since then is gone. That costs nothing while an entry is used, where an exact order would move it every time.
 */
export function createBoundedMap<V>(limit: number): BoundedMap<V> {
  let young = new Map<string, V>();
  let old = new Map<string, V>();
  const set = (key: string, value: V) => {
    if (young.size >= limit / 2 && !young.has(key)) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
    old.delete(key);
  };
  return {
    set,
    get: (key) => {
      const value = young.get(key);
      if (value !== undefined) return value;
      const kept = old.get(key);
      if (kept !== undefined) set(key, kept);
      return kept;
    },
    delete: (key) => {
      young.delete(key);
      old.delete(key);
    },
    get size() {
      return young.size + old.size;
    },
  };
}
