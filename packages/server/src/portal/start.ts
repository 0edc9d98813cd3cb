import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Log } from '@latchkey/kernel';
import { bareEnvironment } from '../config.ts';
import { foldMissing } from './parts.ts';

export interface PortalStart {
  host: string;
  port: number;
  /** The public URL of the portal, if it differs from host and port. */
  publicUrl: string | undefined;
  /** The URL of the repository, for links to edit a page. */
  repository: string | undefined;
  apiUrl: string;
  /** Which parts that pages describe are set up. */
  setUp: Readonly<Record<string, boolean>>;
  log: Log;
}

export interface RunningPortal {
  url: string;
  /** Whether a built site exists; otherwise it is being built. */
  isReady: boolean;
  /** The build process, while it runs. */
  buildPid(): number | undefined;
  stop(): Promise<void>;
}

/**
 * Serves the documentation portal, and builds it in the background if it is missing or older than its sources. An
 * existing site is served meanwhile.
 */
export async function startPortal({
  host,
  port,
  publicUrl,
  repository,
  apiUrl,
  setUp,
  log,
}: PortalStart): Promise<RunningPortal> {
  // Loaded only here: a production install may lack the portal.
  const folder = join(fileURLToPath(import.meta.resolve('@latchkey/portal/package.json')), '..');
  const site = join(folder, 'dist/site');
  let state = 'The documentation portal is being built. Come back in a minute.';
  // The build depends on the path of the public URL, too.
  const basePath = publicUrl === undefined ? '/' : new URL(publicUrl).pathname.replace(/\/*$/, '/');
  const portal = await servePortal({ folder: site, host, port, basePath, apiUrl, setUp, explainMissing: () => state });
  const url = publicUrl ?? portal.url;
  const isReady = existsSync(join(site, 'index.html'));
  const child = spawn(process.execPath, [join(folder, 'build.ts'), '--unless-fresh'], {
    cwd: folder,
    env: bareEnvironment({
      LATCHKEY_PORTAL_URL: url,
      ...(repository !== undefined && { LATCHKEY_PORTAL_REPOSITORY: repository }),
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const ended = once(child, 'close').catch((error: unknown) => [String(error)]);
  let isStopping = false;
  ended.then(([code]) => {
    if (isStopping) return;
    portal.forget();
    if (code === 0) return;
    state = 'The documentation portal could not be built. The log of the server says why.';
    log.warn('The documentation portal could not be built.', { output: output.slice(-2000) });
  });
  return {
    url,
    isReady,
    buildPid: () => (child.exitCode === null && child.signalCode === null ? child.pid : undefined),
    stop: async () => {
      isStopping = true;
      child.kill();
      await ended;
      await portal.close();
    },
  };
}

/** For responses that are not built pages, and so run no scripts. */
const strictest = "default-src 'none'";
/** Only works as a header: browsers ignore it inside a page. */
const unframed = "frame-ancestors 'none'";

const tag = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/;
const entities: Readonly<Record<string, string>> = { '&quot;': '"', '&lt;': '<', '&amp;': '&' };

/**
 * Returns the content security policy of a file. The build writes one into each page, with the hashes of its own
 * scripts and styles, so that any static host can serve it; as a header it applies from the first byte.
 */
function policyOf(text: string, isPage: boolean): string {
  const [, written] = (isPage ? tag.exec(text) : null) ?? [];
  const own = written?.replace(/&(?:quot|lt|amp);/g, (entity) => entities[entity] ?? entity);
  return `${own ?? strictest}; ${unframed}`;
}

interface PortalOptions {
  /** The built site. */
  folder: string;
  host: string;
  port: number;
  /** The path that the site was built for, with a slash at both ends. Defaults to the root. */
  basePath?: string;
  /** The API that the site calls. */
  apiUrl?: string;
  /** Which parts that pages describe the operator has set up. */
  setUp?: Readonly<Record<string, boolean>>;
  /** Explains why the site is missing. */
  explainMissing?(): string;
}

export interface Portal {
  url: string;
  /** Drops cached files after a rebuild. */
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
      const text = this.#options.explainMissing?.() ?? 'The documentation portal could not be built.';
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
      // Files with a hash in their name never change; everything else is revalidated.
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

  /** Sends the build's settings, the URL of the API, and what is set up. */
  async #sendSettings(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { folder, apiUrl, setUp } = this.#options;
    const built: object = await readFile(join(folder, 'settings.json'), 'utf8').then(JSON.parse, () => ({}));
    const known = { ...(apiUrl !== undefined && { apiUrl }), ...(setUp !== undefined && { setUp }) };
    const text = JSON.stringify({ ...built, ...known });
    response.writeHead(200, { ...headers, 'content-type': 'application/json', 'cache-control': 'no-cache' });
    response.end(request.method === 'HEAD' ? undefined : text);
  }
}

/** Returns the redirects. A site without the list has none. */
async function readRedirects(folder: string): Promise<ReadonlyMap<string, string>> {
  const list: { from: string; to: string }[] = await readFile(join(folder, 'redirects.json'), 'utf8').then(
    JSON.parse,
    () => [],
  );
  return new Map(list.map(({ from, to }) => [from, to]));
}

type Found = { kind: 'file'; path: string } | { kind: 'moved'; to: string } | { kind: 'missing' };

/**
 * Returns the file behind a path of the site. Every page has one URL: paths that end in `.html` redirect to the plain
 * one. Nothing outside the folder is accessible.
 */
async function findFile(folder: string, pathname: string): Promise<Found> {
  const plain = pathname.replace(/(?:\/index)?\.html$/, '');
  const decoded = decode(plain);
  if (decoded === undefined) return { kind: 'missing' };
  const path = join(folder, decoded);
  if (path !== folder && !path.startsWith(`${folder}${sep}`) && `${path}${sep}` !== `${folder}${sep}`)
    return { kind: 'missing' };
  if (plain !== pathname) {
    const isPage = (await isFile(join(path, 'index.html'))) || (await isFile(`${path}.html`));
    return isPage ? { kind: 'moved', to: plain === '' ? '/' : plain } : { kind: 'missing' };
  }
  for (const candidate of [path, join(path, 'index.html')])
    if (await isFile(candidate)) return { kind: 'file', path: candidate };
  return { kind: 'missing' };
}

function decode(pathname: string): string | undefined {
  try {
    const decoded = decodeURIComponent(pathname);
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    return undefined;
  }
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
  '.xml': 'application/xml; charset=utf-8',
};

const compressed = {
  br: promisify(
    (data: Buffer, done: (error: Error | null, result: Buffer) => void) =>
      void brotliCompress(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }, done),
  ),
  gzip: promisify(gzip),
} as const;

type Coding = keyof typeof compressed | 'identity';

interface Body {
  data: Buffer;
  type: string;
  coding: Coding;
  etag: string;
  /** Its content security policy. */
  policy: string;
}

/** Smaller files are not worth compressing. */
const worthCompressingBytes = 1024;

/** Caches files and their compressed forms. The site is a few megabytes and does not change while it is served. */
class Bodies {
  #kept = new Map<string, Promise<Body>>();
  #setUp: Readonly<Record<string, boolean>>;

  constructor(setUp: Readonly<Record<string, boolean>> = {}) {
    this.#setUp = setUp;
  }

  read(path: string, accepted: string): Promise<Body> {
    const coding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : 'identity';
    const key = `${coding} ${path}`;
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const body = readBody(path, coding, this.#setUp);
    this.#kept.set(key, body);
    body.catch(() => this.#kept.delete(key));
    return body;
  }
}

async function readBody(path: string, wanted: Coding, setUp: Readonly<Record<string, boolean>>): Promise<Body> {
  const file = await readFile(path);
  const type = types[extname(path).toLowerCase()] ?? 'application/octet-stream';
  const isPage = type.startsWith('text/html');
  const data = isPage ? Buffer.from(foldMissing(file.toString(), setUp)) : file;
  const isText = /^text\/|json|xml|svg/.test(type) && data.byteLength >= worthCompressingBytes;
  const coding = isText ? wanted : 'identity';
  const etag = `"${createHash('sha256').update(data).digest('base64url').slice(0, 22)}-${coding}"`;
  const policy = policyOf(isPage ? data.toString() : '', isPage);
  return { data: coding === 'identity' ? data : await compressed[coding](data), type, coding, etag, policy };
}
