import { type Egress, EgressRefused } from '@latchkey/core/ports';
import { type Resolve, systemResolve } from './resolve.ts';
import { openedHosts, readTarget } from './target.ts';

export interface EgressOptions {
  /**
   * Allows private addresses: of every host, or of the listed ones. For tests and for receivers on the operator's
   * network.
   */
  allowPrivate?: boolean | { hosts: readonly string[] };
  timeoutMs?: number;
  maxResponseBytes?: number;
  /** Replaces DNS. */
  resolve?: Resolve;
}

// Headers of the connection itself: a caller could use them to name another host or hide a second request in the body.
const connectionHeaders = new Set([
  ...['connection', 'content-length', 'expect', 'host', 'keep-alive', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

/** The HTTP client is loaded on the first call: many processes never make one. */
const loadClient = async () => ({ ...(await import('./connect.ts')), ...(await import('./exchange.ts')) });

/** Calls URLs that users chose, without letting them reach what only this machine can reach. */
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
