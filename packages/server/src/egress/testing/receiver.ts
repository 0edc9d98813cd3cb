import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Server } from 'node:net';
import { portOf } from './port-of.ts';

/** A receiver on loopback that egress reaches if the host is allowed. With `tls` it serves https. */
export async function startReceiver(listener: RequestListener, tls?: { key: string; cert: string }) {
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  return {
    port,
    url: (path = '/', host = 'receiver.example') => `${tls ? 'https' : 'http'}://${host}:${port}${path}`,
    /** Resolves once no client is connected. */
    idle: async () => {
      for (let tries = 0; (await countConnections(server)) > 0; tries += 1) {
        if (tries > 1_000) throw new Error('A connection to the receiver was left open.');
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const countConnections = (server: Server) =>
  new Promise<number>((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
