import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@latchkey/test-kit';

export interface CaughtCall {
  headers: IncomingHttpHeaders;
  /** The exact bytes. */
  body: string;
}

export interface CallCatcher extends AsyncDisposable {
  url: string;
  /** Returns the oldest unread call; waits for one if there is none. */
  next(): Promise<CaughtCall>;
}

/** A third-party server that answers every call with 200 and records it. */
export async function catchCalls(): Promise<CallCatcher> {
  const caught: CaughtCall[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      caught.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    next: () => until('a call comes', () => caught.shift()),
    [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
