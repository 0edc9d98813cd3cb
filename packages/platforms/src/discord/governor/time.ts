import { setTimeout as sleep } from 'node:timers/promises';

/** The time that limits are counted in. A benchmark puts a virtual one in its place. */
export interface Time {
  nowMs(): number;
  /** Resolves when that moment has come, or when the signal says that nobody waits any more; never rejects. */
  sleepUntil(atMs: number, signal?: AbortSignal): Promise<void>;
}

/** A clock that never steps back, whatever happens to the date. */
export const monotonicTime: Time = {
  nowMs: () => performance.now(),
  sleepUntil: (atMs, signal) =>
    sleep(Math.max(0, Math.ceil(atMs - performance.now())), undefined, { signal }).catch(() => undefined),
};
