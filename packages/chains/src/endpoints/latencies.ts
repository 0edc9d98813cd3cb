export interface Latencies {
  add(kind: string, elapsedMs: number): void;
  /** How long 95 of 100 questions of this kind took lately; undefined while too few were asked. */
  usualMs(kind: string): number | undefined;
}

const remembered = 64;
const leastSamples = 8;

/** What kinds of questions take, apart from each other: a header is quick where a thousand balances are not. */
export function createLatencies(): Latencies {
  const samples = new Map<string, number[]>();
  return {
    add: (kind, elapsedMs) => void samples.set(kind, [...(samples.get(kind) ?? []), elapsedMs].slice(-remembered)),
    usualMs: (kind) => {
      const taken = samples.get(kind) ?? [];
      if (taken.length < leastSamples) return undefined;
      return taken.toSorted((one, other) => one - other)[Math.floor(taken.length * 0.95)];
    },
  };
}
