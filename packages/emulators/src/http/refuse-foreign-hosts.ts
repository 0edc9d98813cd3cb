import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

const ownNames = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/i;
const guarded = new WeakSet<Server>();

/**
 * Makes an emulator respond to local host names only. A web page elsewhere can resolve its own name to this machine and read the responses
 * as its own (DNS rebinding), but its name stays in the Host header.
 */
export function refuseForeignHosts(server: Server): void {
  if (guarded.has(server)) return;
  guarded.add(server);
  const [onRequest, onUpgrade] = [takeListeners(server, 'request'), takeListeners(server, 'upgrade')];
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (isOwn(request)) return call(server, onRequest, [request, response]);
    response.writeHead(421, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
    response.end('This emulator answers to localhost only.\n');
  });
  // A server with an upgrade listener must handle all upgrades, so one without a listener is left alone.
  if (onUpgrade.length === 0) return;
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (isOwn(request)) return call(server, onUpgrade, [request, socket, head]);
    socket.end('HTTP/1.1 421 Misdirected Request\r\nconnection: close\r\n\r\n');
  });
}

function isOwn({ headers }: IncomingMessage): boolean {
  return ownNames.test(headers.host ?? '');
}

type Listeners = ReturnType<Server['listeners']>;

function takeListeners(server: Server, event: 'request' | 'upgrade'): Listeners {
  const listeners = server.listeners(event);
  server.removeAllListeners(event);
  return listeners;
}

function call(server: Server, listeners: Listeners, args: unknown[]): void {
  for (const listener of listeners) Reflect.apply(listener, server, args);
}
