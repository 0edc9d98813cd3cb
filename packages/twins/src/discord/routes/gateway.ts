import { botOf, type Define } from '../call.ts';
import { ok } from '../reply.ts';

/** Where the gateway is. */
export function defineGateway(url: () => string): (define: Define) => void {
  return (define) => {
    define('GET /gateway', 'other', () => ok({ url: url() }), { isOpen: true });
    define('GET /gateway/bot', 'other', (call) => {
      botOf(call);
      const start = { total: 1000, remaining: 1000, reset_after: 0, max_concurrency: 1 };
      return ok({ url: url(), shards: 1, session_start_limit: start });
    });
  };
}
