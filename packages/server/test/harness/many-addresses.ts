import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newAddress } from './visit-server.ts';

export interface ManyAddresses extends AsyncDisposable {
  url: string;
  /** Returns how often each status was returned since the last call. */
  countAnswers(): Map<number, number>;
}

/**
 * A proxy in front of a server that trusts it: every request comes from a new address, so that wrong credentials do not
 * count against the next one. A stream ends after its first bytes, since test clients wait for the complete response.
 */
export async function startManyAddresses(target: string): Promise<ManyAddresses> {
  const { hostname, port } = new URL(target);
  let answers = new Map<number, number>();
  // The server must refuse what is too large, not the proxy.
  const proxy = createServer({ maxHeaderSize: 1_000_000 }, (incoming, outgoing) => {
    const headers = { ...incoming.headers, 'x-forwarded-for': newAddress() };
    const onward = request({ hostname, port, method: incoming.method, path: incoming.url, headers }, (answer) => {
      const status = answer.statusCode ?? 502;
      answers.set(status, (answers.get(status) ?? 0) + 1);
      outgoing.writeHead(status, answer.headers);
      if (answer.headers['content-type']?.startsWith('text/event-stream'))
        answer.once('data', (chunk: Buffer) => {
          outgoing.end(chunk);
          onward.destroy();
        });
      else answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    countAnswers: () => {
      const counted = answers;
      answers = new Map();
      return counted;
    },
    [Symbol.asyncDispose]: async () => {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
