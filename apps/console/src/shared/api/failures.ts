import { ApiError } from '@latchkey/client';
import { Unreachable } from '../../reach-server.ts';

/** The session has ended, or there was none. */
export class SignedOut extends Error {}

const usualMs = 1_000;
const longestSeconds = 5;

/**
 * Returns how long to wait before a read is retried: for a server that is unavailable or briefly unable to respond, for example during a
 * database failover. Returns undefined for refusals, timeouts, and waits that are longer than users watch a page load.
 */
export function pauseBeforeRetry(error: unknown): number | undefined {
  if (error instanceof Unreachable) return error.isTimeout ? undefined : usualMs;
  if (!(error instanceof ApiError) || error.code !== 'UNAVAILABLE') return undefined;
  const { retryAfterSeconds = 1 } = error;
  return retryAfterSeconds <= longestSeconds ? Math.max(usualMs, retryAfterSeconds * 1_000) : undefined;
}
