import { botOf, type Define } from '../call.ts';
import type { SessionStarts } from '../gateway/session-starts.ts';
import type { Limits } from '../limits/limits.ts';
import { ok } from '../reply.ts';

/** Defines the routes that return the gateway URL. */
export function defineGateway(
  url: () => string,
  limits: Limits,
  starts: () => SessionStarts,
): (define: Define) => void {
  return (define) => {
    define('GET /gateway', 'other', () => ok({ url: url() }), { isOpen: true });
    define('GET /gateway/bot', 'other', (call) => {
      const { remaining, resetAfterMs } = starts().left(botOf(call).id);
      const session_start_limit = {
        total: limits.sessionStarts.limit,
        remaining,
        reset_after: resetAfterMs,
        max_concurrency: limits.maxConcurrency,
      };
      return ok({ url: url(), shards: limits.shards, session_start_limit });
    });
  };
}
