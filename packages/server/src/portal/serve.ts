import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Bodies } from './bodies.ts';
import { type Found, findFile } from './find-file.ts';
import { policyOf } from './policy.ts';

export interface PortalOptions {
  /** The built site. */
  folder: string;
  host: string;
  port: number;
  /** The path that the site was built for, with a slash at both ends. The root without it. */
  basePath?: string;
  /** The API that the site talks to. */
  apiUrl?: string;
  /** Which parts that pages are about the operator has set up. Nothing is known of others. */
  setUp?: Readonly<Record<string, boolean>>;
  /** What is wrong or still to come when the site is not there. */
  explainMissing?(): string;
}

export interface Portal {
  url: string;
  /** The site was built anew. */
  forget(): void;
  close(): Promise<void>;
}

const headers = {
  'content-security-policy': policyOf('', false),
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Serves the documentation portal. */
export async function servePortal(options: PortalOptions): Promise<Portal> {
  let site = new Site(options);
  const server = createServer((request, response) => {
    site.answer(request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500, headers);
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    forget: () => {
      site = new Site(options);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

class Site {
  #options: PortalOptions;
  #bodies: Bodies;
  #redirects: Promise<ReadonlyMap<string, string>>;

  constructor(options: PortalOptions) {
    this.#options = options;
    this.#bodies = new Bodies(options.setUp);
    this.#redirects = readRedirects(options.folder);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request;
    if (method !== 'GET' && method !== 'HEAD') {
      response.writeHead(405, { ...headers, allow: 'GET, HEAD' }).end();
      return;
    }
    const { basePath = '/' } = this.#options;
    const [pathname = '/', query] = url.split('?');
    if (pathname === `${basePath}settings.json`) return this.#sendSettings(request, response);
    const found = await this.#find(pathname, basePath);
    if (found.kind === 'moved') {
      const location = encodeURI(decodeURI(found.to)) + (query === undefined ? '' : `?${query}`);
      response.writeHead(301, { ...headers, location }).end();
      return;
    }
    const isForever = pathname.startsWith(`${basePath}assets/`);
    if (found.kind === 'file') return this.#send(request, response, found.path, 200, isForever);
    return this.#sendMissing(request, response);
  }

  async #find(pathname: string, basePath: string): Promise<Found> {
    const to = (await this.#redirects).get(pathname.replace(/(?<=.)\/$/, ''));
    if (to !== undefined) return { kind: 'moved', to };
    if (pathname === '/' && basePath !== '/') return { kind: 'moved', to: basePath };
    if (`${pathname}/` === basePath) return { kind: 'moved', to: basePath };
    if (!pathname.startsWith(basePath)) return { kind: 'missing' };
    const found = await findFile(this.#options.folder, `/${pathname.slice(basePath.length)}`);
    return found.kind === 'moved' ? { kind: 'moved', to: basePath + found.to.slice(1) } : found;
  }

  async #sendMissing(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#send(request, response, join(this.#options.folder, '404.html'), 404, false);
    } catch {
      const text = this.#options.explainMissing?.() ?? 'The documentation portal was not built.';
      response.writeHead(503, { ...headers, 'content-type': 'text/plain; charset=utf-8', 'retry-after': '15' });
      response.end(`${text}\n`);
    }
  }

  async #send(request: IncomingMessage, response: ServerResponse, path: string, status: number, isForever: boolean) {
    const accepted = String(request.headers['accept-encoding'] ?? '');
    const { data, type, coding, etag, policy } = await this.#bodies.read(path, accepted);
    const shown = {
      ...headers,
      'content-security-policy': policy,
      'content-type': type,
      // What has its hash in its name never changes; everything else is asked for again.
      'cache-control': isForever ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
      etag,
      ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
    };
    if (status === 200 && request.headers['if-none-match'] === etag) {
      response.writeHead(304, shown).end();
      return;
    }
    response.writeHead(status, { ...shown, 'content-length': data.byteLength });
    response.end(request.method === 'HEAD' ? undefined : data);
  }

  /** What the site was built with, where the API is, and what is set up there. */
  async #sendSettings(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { folder, apiUrl, setUp } = this.#options;
    const built: object = await readFile(join(folder, 'settings.json'), 'utf8').then(JSON.parse, () => ({}));
    const known = { ...(apiUrl !== undefined && { apiUrl }), ...(setUp !== undefined && { setUp }) };
    const text = JSON.stringify({ ...built, ...known });
    response.writeHead(200, { ...headers, 'content-type': 'application/json', 'cache-control': 'no-cache' });
    response.end(request.method === 'HEAD' ? undefined : text);
  }
}

/** Addresses that lead elsewhere. A site without the list has none. */
async function readRedirects(folder: string): Promise<ReadonlyMap<string, string>> {
  const list: { from: string; to: string }[] = await readFile(join(folder, 'redirects.json'), 'utf8').then(
    JSON.parse,
    () => [],
  );
  return new Map(list.map(({ from, to }) => [from, to]));
}
