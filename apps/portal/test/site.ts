import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { siteFolder } from '../config/folders.ts';

const types: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.xml': 'application/xml',
};

export interface OpenSite {
  url: string;
  close(): Promise<void>;
}

/** Serves the built site as any host of files would: folders by their index, what is missing by the page for that. */
export async function openSite(): Promise<OpenSite> {
  const server = createServer(async ({ url = '/' }, response) => {
    const path = normalize(decodeURIComponent(new URL(url, 'http://site').pathname));
    const files = extname(path) === '' ? [join(path, 'index.html')] : [path];
    for (const [status, file] of [...files.map((name) => [200, name] as const), [404, '404.html'] as const])
      if (await sendFile(response, status, file)) return;
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function sendFile(response: ServerResponse, status: number, file: string): Promise<boolean> {
  const content = await readFile(join(siteFolder, file)).catch(() => undefined);
  if (content === undefined) return false;
  response.writeHead(status, { 'content-type': types[extname(file)] ?? 'application/octet-stream' }).end(content);
  return true;
}
