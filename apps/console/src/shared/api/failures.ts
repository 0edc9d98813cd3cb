import { ApiError } from '@latchkey/client';

/** The session is over, or there was none. */
export class SignedOut extends Error {}

/** The server could not be reached. */
export class Unreachable extends Error {}

const usualMs = 1_000;
const longestSeconds = 5;

/**
 * How long to wait before a read is tried once more: a server that is away, or that cannot answer for a moment, as while its
 * database changes over. Undefined for what it refuses, and for what will take longer than somebody watches a page.
 */
export function pauseBeforeRetry(error: unknown): number | undefined {
  if (error instanceof Unreachable) return usualMs;
  if (!(error instanceof ApiError) || error.code !== 'UNAVAILABLE') return undefined;
  const { retryAfterSeconds = 1 } = error;
  return retryAfterSeconds <= longestSeconds ? Math.max(usualMs, retryAfterSeconds * 1_000) : undefined;
}
