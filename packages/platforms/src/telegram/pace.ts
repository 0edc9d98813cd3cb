import { setTimeout as sleep } from 'node:timers/promises';

/** Lets so many callers through in a second, one after the other in the order they came. */
export function createPace(perSecond: number): (signal?: AbortSignal) => Promise<void> {
  const gapMs = 1000 / perSecond;
  let nextAtMs = 0;
  return async (signal) => {
    const nowMs = performance.now();
    const atMs = Math.max(nowMs, nextAtMs);
    nextAtMs = atMs + gapMs;
    if (atMs > nowMs) await sleep(atMs - nowMs, undefined, { ...(signal && { signal }) });
  };
}
