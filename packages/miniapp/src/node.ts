import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MiniApp } from './mini-app.ts';

export interface ServeOptions {
  /** 0 picks any free port. Defaults to 3080. */
  port?: number;
  /** Defaults to 127.0.0.1: put a reverse proxy with https in front. */
  host?: string;
}

export interface Serving {
  port: number;
  close(): Promise<void>;
}

const largestBody = 1024 * 1024;

/** Serves a mini-app with Node's own HTTP server. */
export async function serve(app: MiniApp, { port = 3080, host = '127.0.0.1' }: ServeOptions = {}): Promise<Serving> {
  const server = createServer(async (incoming, outgoing) => {
    try {
      const response = await app.fetch(await readRequest(incoming));
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      outgoing.end(new Uint8Array(await response.arrayBuffer()));
    } catch (error) {
      outgoing.writeHead(error instanceof TooLarge ? 413 : 400).end();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      await app.settled();
    },
  };
}

class TooLarge extends Error {}

async function readRequest(incoming: IncomingMessage): Promise<Request> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of incoming) {
    length += chunk.length;
    if (length > largestBody) throw new TooLarge();
    chunks.push(chunk);
  }
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers))
    for (const item of [value ?? []].flat()) headers.append(name, item);
  const method = incoming.method ?? 'GET';
  const body = method === 'GET' || method === 'HEAD' ? {} : { body: new Uint8Array(Buffer.concat(chunks)) };
  return new Request(new URL(incoming.url ?? '/', 'http://localhost'), { method, headers, ...body });
}
