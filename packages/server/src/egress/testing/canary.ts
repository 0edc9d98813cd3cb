import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { portOf } from './port-of.ts';

/** Listens on loopback (IPv4, and IPv6 if available) for connections that must never arrive. */
export async function listenForIntruders() {
  let connections = 0;
  const onConnection = (socket: Socket) => {
    connections += 1;
    socket.on('error', () => undefined).resume();
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\nconnection: close\r\n\r\nsecret');
  };
  const v4 = createServer(onConnection).listen(0, '127.0.0.1');
  await once(v4, 'listening');
  const port = portOf(v4);
  const v6 = createServer(onConnection).listen(port, '::1');
  const hasV6 = await once(v6, 'listening').then(
    () => true,
    () => false,
  );
  const close = (server: Server) => new Promise<void>((resolve) => server.close(() => resolve()));
  return {
    port,
    hasV6,
    connections: () => connections,
    close: async () => {
      await Promise.all([close(v4), hasV6 ? close(v6) : undefined]);
    },
  };
}
