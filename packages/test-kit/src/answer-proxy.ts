import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** Changes a service's response before it is passed on. */
export type ChangeAnswer = (body: unknown, request: { method: string; path: string }) => unknown;

export interface AnswerProxy {
  /** The URL of the service. */
  url: string;
  /** From now on JSON responses pass through this; undefined leaves them unchanged. A string is sent unchanged. */
  intercept(change: ChangeAnswer | undefined): void;
  stop(): Promise<void>;
}

const notPassedOn = new Set(['connection', 'content-length', 'content-encoding', 'transfer-encoding', 'keep-alive']);

/** Starts a proxy between an adapter and an emulator that changes responses on command. */
export async function startAnswerProxy(target: string): Promise<AnswerProxy> {
  const { origin, pathname } = new URL(target);
  let change: ChangeAnswer | undefined;
  const server = createServer(async (request, response) => {
    const { method = 'GET', url: path = '/', headers } = request;
    const sent = await buffer(request);
    const passed = Object.entries(headers).filter(([name]) => name !== 'host' && !notPassedOn.has(name));
    const answer = await fetch(`${origin}${path}`, {
      method,
      headers: passed.map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
      ...(sent.length > 0 && { body: sent }),
      redirect: 'manual',
    });
    const text = await answer.text();
    const isChanged = change !== undefined && (answer.headers.get('content-type') ?? '').includes('json');
    const body = isChanged && text !== '' ? change?.(JSON.parse(text), { method, path }) : text;
    response.writeHead(
      answer.status,
      [...answer.headers].filter(([name]) => !notPassedOn.has(name)),
    );
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${pathname === '/' ? '' : pathname}`,
    intercept: (next) => {
      change = next;
    },
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
