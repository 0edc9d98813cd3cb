import { ApiError } from './api-error.ts';
import { chance, wait } from './runtime.ts';

/** What a proxy or the server says when the same request may succeed later. */
const passing = [429, 502, 503, 504];
const firstDelayMs = 500;
const longestDelayMs = 30_000;

/**
 * Tries until it succeeds, is refused for good, or `retries` further attempts have failed. The wait doubles each time and
 * is partly random, so that many clients do not come back at once; a `Retry-After` of the server is kept to.
 */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  { retries, signal }: { retries: number; signal: AbortSignal | undefined },
): Promise<Result> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      const delayMs = failures < retries && signal?.aborted !== true ? delayAfter(error, failures) : undefined;
      if (delayMs === undefined) throw error;
      await wait(delayMs, signal);
    }
  }
}

/** How long to wait after a failure; undefined when another attempt would be in vain. */
export function delayAfter(error: unknown, failures: number): number | undefined {
  if (error instanceof ApiError) {
    const isPassing = passing.includes(error.status) || error.code === 'IDEMPOTENCY_IN_PROGRESS';
    if (!isPassing) return undefined;
    const askedMs = (error.retryAfterSeconds ?? 0) * 1_000;
    return askedMs > longestDelayMs ? undefined : Math.max(askedMs, backoff(failures));
  }
  return isConnectionFailure(error) ? backoff(failures) : undefined;
}

function backoff(failures: number): number {
  const fullMs = Math.min(firstDelayMs * 2 ** failures, longestDelayMs);
  return fullMs / 2 + (fullMs / 2) * chance();
}

/** `fetch` throws a TypeError when the connection fails, and the time limit of an attempt is a TimeoutError. */
function isConnectionFailure(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError');
}
