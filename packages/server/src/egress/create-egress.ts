import { type Egress, EgressRefused } from '@latchkey/core/ports';
import { guardedConnector } from './connect.ts';
import { exchange } from './exchange.ts';
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

/** Calls addresses that users chose, without letting them reach what only this machine can reach. */
export function createEgress(options: EgressOptions = {}): Egress {
  const { allowPrivate = false, timeoutMs = 15_000, maxResponseBytes = 1024 * 1024 } = options;
  const isOpened = openedHosts(allowPrivate);
  const connect = guardedConnector({ isOpened, resolve: options.resolve ?? systemResolve(isOpened), timeoutMs });

  return {
    async send(request) {
      const url = readTarget(request.url, isOpened);
      checkHeaders(request.headers ?? {});
      request.signal?.throwIfAborted();
      return exchange(connect, url, {
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
