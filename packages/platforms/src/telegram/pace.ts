import { setTimeout } from 'node:timers/promises';

/** Time as far as a pace needs it. Tests turn it by hand. */
export interface PaceTime {
  /** Milliseconds since some moment; they only go forward. */
  nowMs(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

const systemTime: PaceTime = {
  nowMs: () => performance.now(),
  sleep: (ms, signal) => setTimeout(ms, undefined, { ...(signal && { signal }) }),
};

/** Lets so many callers through in a second, one after the other in the order they came. */
export function createPace(
  perSecond: number,
  { nowMs, sleep }: PaceTime = systemTime,
): (signal?: AbortSignal) => Promise<void> {
  const gapMs = 1000 / perSecond;
  let nextAtMs = 0;
  return async (signal) => {
    const now = nowMs();
    const atMs = Math.max(now, nextAtMs);
    nextAtMs = atMs + gapMs;
    if (atMs > now) await sleep(atMs - now, signal);
  };
}
