import { once } from 'node:events';
import type { Server } from 'node:http';

/** Starts a test server on a free local port, until it is disposed of. */
export async function listenLocally(server: Server): Promise<{ url: string } & AsyncDisposable> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen on a port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
