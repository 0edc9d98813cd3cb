import type { Timers } from '../endpoints/index.ts';

export interface HandTimers extends Timers {
  /** Moves the time on and runs what was due on the way, letting promises settle after each. */
  pass(durationMs: number): Promise<void>;
  /** How long until the next thing is due; undefined when nothing is. */
  dueInMs(): number | undefined;
}

/** A clock that stands still until a test advances it. */
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
