import { ApiError } from '@latchkey/client';
import { Unreachable } from '../../reach-server.ts';

/** The session has ended, or there was none. */
export class SignedOut extends Error {}

const usualMs = 1_000;
const longestSeconds = 5;

/**
 * How long to wait before a read is tried once more: a server that is away, or that cannot respond for a moment, as during a
 * database failover. Undefined for refusals, for timeouts, and for what takes longer than people watch a page load.
 */
export function pauseBeforeRetry(error: unknown): number | undefined {
  if (error instanceof Unreachable) return error.isTimeout ? undefined : usualMs;
  if (!(error instanceof ApiError) || error.code !== 'UNAVAILABLE') return undefined;
  const { retryAfterSeconds = 1 } = error;
  return retryAfterSeconds <= longestSeconds ? Math.max(usualMs, retryAfterSeconds * 1_000) : undefined;
}
