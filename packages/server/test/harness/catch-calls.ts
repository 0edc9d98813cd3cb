import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CaughtCall {
  headers: IncomingHttpHeaders;
  /** The bytes as they came. */
  body: string;
}

export interface CallCatcher extends AsyncDisposable {
  url: string;
  /** The oldest call that was not taken yet; waits for one if there is none. */
  next(): Promise<CaughtCall>;
}

/** Somebody else's server, which answers every call with 200 and keeps it. */
export async function catchCalls(): Promise<CallCatcher> {
  const caught: CaughtCall[] = [];
  const waiting: ((call: CaughtCall) => void)[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const call = { headers: request.headers, body: Buffer.concat(chunks).toString() };
      const taker = waiting.shift();
      if (taker === undefined) caught.push(call);
      else taker(call);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    next: () => {
      const call = caught.shift();
      if (call !== undefined) return Promise.resolve(call);
      const { promise, resolve, reject } = Promise.withResolvers<CaughtCall>();
      const timer = setTimeout(() => reject(new Error('No call came in time.')), 20_000);
      waiting.push((late) => {
        clearTimeout(timer);
        resolve(late);
      });
      return promise;
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
