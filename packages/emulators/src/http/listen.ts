import { once } from 'node:events';
import type { Server } from 'node:http';
import { keepConnections } from './keep-connections.ts';
import { refuseForeignHosts } from './refuse-foreign-hosts.ts';

/** Listens, for local host names only, and returns `host:port`. Port 0 picks a free one. */
export async function listen(server: Server, port: number, host: string): Promise<string> {
  keepConnections(server);
  refuseForeignHosts(server);
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen on a port.');
  return address.family === 'IPv6' ? `[${address.address}]:${address.port}` : `${address.address}:${address.port}`;
}

/** Stops listening and closes open connections. */
export async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
