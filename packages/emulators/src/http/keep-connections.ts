import { subscribe } from 'node:diagnostics_channel';
import { Server } from 'node:http';
import { refuseForeignHosts } from './refuse-foreign-hosts.ts';

/**
 * Keeps idle connections open until the client closes them. By default a server closes them after some seconds, which on a busy machine can
 * be the moment at which the client sends a request, and that request is lost.
 */
export function keepConnections(server: Server): void {
  server.keepAliveTimeout = 0;
}

/** Prepares a server that a library does not expose: as soon as it receives a request, before it responds. */
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
