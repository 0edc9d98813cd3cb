import type { Random } from './context.ts';

export interface BackoffOptions {
  /** The longest possible delay after the first failure; it doubles with each further failure. */
  firstMs: number;
  /** No delay is longer than this. */
  longestMs: number;
  /** A connection that stayed open this long counts as healthy: the next failure starts at `firstMs` again. */
  stableMs: number;
  random: Pick<Random, 'bytes'>;
  /** A clock that never steps back. */
  nowMs?: () => number;
}

export interface Backoff {
  /** How long to wait before the next attempt. Call it once for each failure. */
  nextDelayMs(): number;
  /** The attempt succeeded: from now on the time counts towards `stableMs`. */
  succeeded(): void;
}

/**
 * Delays between attempts: exponential with full jitter and a cap. Without the jitter, all processes that lost the same
 * service would come back to it at the same moment.
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

/** A number from 0 to below 1. */
function fraction(random: Pick<Random, 'bytes'>): number {
  return new DataView(Uint8Array.from(random.bytes(4)).buffer).getUint32(0) / 2 ** 32;
}
