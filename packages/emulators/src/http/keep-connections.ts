import { subscribe } from 'node:diagnostics_channel';
import { Server } from 'node:http';
import { refuseForeignHosts } from './refuse-foreign-hosts.ts';

/**
 * Keeps connections that are not used until the client closes them. A server closes them after some seconds, which on a
 * busy machine is the moment in which the client asks again, and what it asks is lost.
 */
export function keepConnections(server: Server): void {
  server.keepAliveTimeout = 0;
}

/**
 * Prepares a server that a library does not hand out as one of ours: as soon as it is asked something, and before it
 * answers that.
 */
export function prepareServerAt(port: number): void {
  subscribe('http.server.request.start', (message) => {
    const server: unknown = Reflect.get(Object(message), 'server');
    if (!(server instanceof Server)) return;
    const address = server.address();
    if (address === null || typeof address !== 'object' || address.port !== port) return;
    keepConnections(server);
    refuseForeignHosts(server);
  });
}
