import { type Egress, EgressRefused } from '@latchkey/core/ports';
import { type Resolve, systemResolve } from './resolve.ts';
import { openedHosts, readTarget } from './target.ts';

export interface EgressOptions {
  /** Opens private addresses: of every host, or of the named ones. For tests and for receivers on one's own network. */
  allowPrivate?: boolean | { hosts: readonly string[] };
  timeoutMs?: number;
  maxResponseBytes?: number;
  /** Takes the place of the DNS. */
  resolve?: Resolve;
}

// The connection's own headers: set by a caller they could name another host or hide a second request in the body.
const connectionHeaders = new Set([
  ...['connection', 'content-length', 'expect', 'host', 'keep-alive', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

/** The HTTP client is loaded with the first call: many processes never make one. */
const loadClient = async () => ({ ...(await import('./connect.ts')), ...(await import('./exchange.ts')) });

/** Calls addresses that users chose, without letting them reach what only this machine can reach. */
export function createEgress(options: EgressOptions = {}): Egress {
  const { allowPrivate = false, timeoutMs = 15_000, maxResponseBytes = 1024 * 1024 } = options;
  const isOpened = openedHosts(allowPrivate);
  const resolve = options.resolve ?? systemResolve(isOpened);

  return {
    async send(request) {
      const url = readTarget(request.url, isOpened);
      checkHeaders(request.headers ?? {});
      const { exchange, guardedConnector } = await loadClient();
      request.signal?.throwIfAborted();
      return exchange(guardedConnector({ isOpened, resolve, timeoutMs }), url, {
        ...request,
        timeoutMs: request.timeoutMs ?? timeoutMs,
        maxResponseBytes: request.maxResponseBytes ?? maxResponseBytes,
      });
    },
  };
}

function checkHeaders(headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w-]+$/.test(name) || /[^\t\x20-\x7e\x80-\xff]/.test(value) || connectionHeaders.has(name.toLowerCase())) {
      throw new EgressRefused('header', `The header ${JSON.stringify(name)} cannot be set on an outgoing request.`);
    }
  }
}
