import { setTimeout as sleep } from 'node:timers/promises';

/** The clock that limits are counted with. A benchmark replaces it with a virtual one. */
export interface Time {
  nowMs(): number;
  /** Resolves at that moment, or when the signal aborts. Never rejects. */
  sleepUntil(atMs: number, signal?: AbortSignal): Promise<void>;
}

/** A monotonic clock, independent of changes to the date. */
export const monotonicTime: Time = {
  nowMs: () => performance.now(),
  sleepUntil: (atMs, signal) =>
    sleep(Math.max(0, Math.ceil(atMs - performance.now())), undefined, { signal }).catch(() => undefined),
};
