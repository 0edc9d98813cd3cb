import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Answer {
  status: number;
  text?: string;
}

type Headers = Readonly<Record<string, string>>;

export type ForeignAnswer = (request: {
  path: string;
  /** The signature headers, and the content type. */
  headers: Headers;
  body: Buffer<ArrayBuffer>;
  /** Lets the server's sample app verify a call, since it has the keys. */
  askSample(path: 'events' | 'interactions', headers: Headers, body: Buffer<ArrayBuffer>): Promise<Answer>;
}) => Promise<Answer>;

/** A mini-app on its own server that responds as a test specifies. */
export async function foreignApp(serverUrl: string, metadata: object, answer: ForeignAnswer) {
  const askSample = async (path: string, headers: Headers, body: Buffer<ArrayBuffer>): Promise<Answer> => {
    const response = await fetch(`${serverUrl}/hello-action/${path}`, { method: 'POST', headers, body });
    return { status: response.status, text: await response.text() };
  };
  const app = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.url === '/metadata') return response.end(JSON.stringify(metadata));
    const requested = {
      path: request.url ?? '',
      headers: usedOf(request.headers),
      body: Buffer.concat(chunks),
      askSample,
    };
    const { status, text = '' } = await answer(requested);
    return response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  });
  await once(app.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(app.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      app.close();
      app.closeAllConnections();
    },
  };
}

function usedOf(headers: IncomingHttpHeaders): Record<string, string> {
  const used = Object.entries(headers).filter(([name]) => /^(x-|content-type)/.test(name));
  return Object.fromEntries(used.map(([name, value]) => [name, String(value)]));
}
