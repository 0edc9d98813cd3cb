import type { Socket } from 'node:net';
import { IntermediatePacketCodec, type ITelegramConnection, type TelegramTransport } from '@mtcute/core';

export interface TcpTransport extends TelegramTransport {
  /** Cuts what is open or being opened, and opens nothing more. */
  close(): void;
}

/** Opens a connection over TCP, or refuses to. */
export type Connect = (target: { host: string; port: number }) => Socket;

/** Plain TCP to Telegram's data centers; the protocol brings its own encryption. */
export function createTcpTransport(connect: Connect, timeoutMs: number): TcpTransport {
  const sockets = new Set<Socket>();
  let isClosed = false;
  return {
    connect: async ({ ipAddress: host, port }) => {
      if (isClosed) throw new Error('The connection was closed.');
      const socket = connect({ host, port });
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      await opened(socket, timeoutMs);
      return connectionOver(socket);
    },
    packetCodec: () => new IntermediatePacketCodec(),
    close: () => {
      isClosed = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

function opened(socket: Socket, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(new Error('Telegram does not answer.')), timeoutMs);
    socket.once('connect', () => {
      clearTimeout(timer);
      resolve();
    });
    // Stays for as long as the socket does: an error that nobody hears would end the process.
    socket.on('error', reject);
    socket.once('close', () => {
      clearTimeout(timer);
      reject(new Error('The connection was closed.'));
    });
  });
}

function connectionOver(socket: Socket): ITelegramConnection {
  const chunks = socket[Symbol.asyncIterator]();
  let rest = new Uint8Array();
  return {
    localAddress: null,
    remoteAddress: null,
    read: async (into) => {
      while (rest.length === 0) {
        const { done, value } = await chunks.next();
        // The library takes an empty read for nothing new and would ask again at once, for ever.
        if (done) throw new Error('The connection was closed.');
        rest = new Uint8Array(value);
      }
      const part = rest.subarray(0, into.length);
      into.set(part);
      rest = rest.subarray(part.length);
      return part.length;
    },
    write: (bytes) =>
      new Promise((resolve, reject) => {
        socket.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    close: () => socket.destroy(),
  };
}
