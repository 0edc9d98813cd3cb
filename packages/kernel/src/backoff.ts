import type { Random } from './context.ts';

export interface BackoffOptions {
  /** The maximum delay after the first failure; it doubles with each further failure. */
  firstMs: number;
  /** The maximum delay. */
  longestMs: number;
  /** A connection that stayed open this long counts as healthy: the next failure starts at `firstMs` again. */
  stableMs: number;
  random: Pick<Random, 'bytes'>;
  /** A monotonic clock. */
  nowMs?: () => number;
}

export interface Backoff {
  /** Returns how long to wait before the next attempt. Call it once per failure. */
  nextDelayMs(): number;
  /** Call it when an attempt succeeded: from now on the time counts towards `stableMs`. */
  succeeded(): void;
}

/**
 * Creates delays between attempts: exponential with full jitter and a cap. Without the jitter, all processes that lost
 * the same service would return to it at the same time.
 */
export function createBackoff(options: BackoffOptions): Backoff {
  const { firstMs, longestMs, stableMs, random, nowMs = () => performance.now() } = options;
  let failures = 0;
  let openSinceMs: number | undefined;
  return {
    nextDelayMs: () => {
      if (openSinceMs !== undefined && nowMs() - openSinceMs >= stableMs) failures = 0;
      openSinceMs = undefined;
      const ceilingMs = Math.min(longestMs, firstMs * 2 ** Math.min(failures, 30));
      failures += 1;
      return Math.ceil(ceilingMs * fraction(random));
    },
    succeeded: () => {
      openSinceMs ??= nowMs();
    },
  };
}

/** Returns a number from 0 to below 1. */
function fraction(random: Pick<Random, 'bytes'>): number {
  return new DataView(Uint8Array.from(random.bytes(4)).buffer).getUint32(0) / 2 ** 32;
}
