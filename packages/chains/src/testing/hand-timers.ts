import type { Timers } from '../endpoints/index.ts';

export interface HandTimers extends Timers {
  /** Advances the time and runs what is due, letting promises settle after each. */
  pass(durationMs: number): Promise<void>;
  /** Returns how long until the next timer is due; undefined if there is none. */
  dueInMs(): number | undefined;
}

/** Creates a clock that stands still until a test advances it. */
export function handTimers(): HandTimers {
  let nowMs = 0;
  const due = new Set<{ atMs: number; act: () => void }>();
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    nowMs: () => nowMs,
    after: (delayMs, act) => {
      const entry = { atMs: nowMs + delayMs, act };
      due.add(entry);
      return () => void due.delete(entry);
    },
    dueInMs: () => (due.size === 0 ? undefined : Math.min(...[...due].map(({ atMs }) => atMs)) - nowMs),
    pass: async (durationMs) => {
      const endMs = nowMs + durationMs;
      await settle();
      for (;;) {
        const [next] = [...due].filter(({ atMs }) => atMs <= endMs).sort((one, other) => one.atMs - other.atMs);
        if (next === undefined) break;
        due.delete(next);
        nowMs = next.atMs;
        next.act();
        await settle();
      }
      nowMs = endMs;
      await settle();
    },
  };
}
