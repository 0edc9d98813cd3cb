import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import {
  connectLinkMinutes,
  contextFor,
  handoffSeconds,
  messagesIn,
  openConnectLink,
  openHandoff,
  type ServerMessages,
} from '@latchkey/core';
import { AppError, anyPlatform, type ConnectPage, chatPlatforms, type PageData, platformNames } from '@latchkey/kernel';
import { directionOf, findLocale, type PageLocale, pseudoLocale } from '@latchkey/kernel/messages';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import type { HttpOptions } from '../http/http-options.ts';
import { localeOf, pageLocaleOf } from '../http/locale-of.ts';
import { networkOf } from '../http/rate-limiter.ts';
import { addPictures } from './pictures.ts';

const yearSeconds = 365 * 24 * 60 * 60;

/** Serves the files that pages are made of. */
export function addAssets(fastify: FastifyInstance): void {
  fastify.get<{ Params: { file: string } }>(`${assetsPath}:file`, async (request, reply) => {
    const asset = await consoleBuild.findAsset(request.params.file);
    if (asset === undefined) throw new AppError('ROUTE_NOT_FOUND', 'File not found.');
    return sendAsset(request, reply, asset);
  });
}

/** Serves the page behind a link to connect wallets, and what all pages are made of. */
export function addPages(fastify: FastifyInstance, { server }: Pick<HttpOptions, 'server'>): void {
  addAssets(fastify);
  addPictures(fastify, server.services, limit);

  fastify.get<{ Params: { slug: string } }>('/connect/:slug', async (request, reply) => {
    await limit(request);
    const anyone = contextFor(server.services, { kind: 'anonymous' });
    const page = await openConnectLink(anyone, request.params.slug);
    const { serviceName } = server.services.settings;
    if (page !== undefined) return sendPage(reply, { ...page, ...offerWalletConnect(server.config, serviceName) });
    const say = messagesIn(localeOf(request));
    return sendPage(reply.code(404), {
      page: 'notice',
      title: say('expired.title'),
      text: say('expired.connect', { minutes: connectLinkMinutes, platforms: anyPlatformIn(say) }),
    });
  });

  fastify.get<{ Params: { ticket: string } }>('/handoff/:ticket', async (request, reply) => {
    await limit(request);
    const anyone = contextFor(server.services, { kind: 'anonymous' });
    const page = await openHandoff(anyone, request.params.ticket);
    if (page !== undefined) return sendPage(reply, page);
    const say = messagesIn(localeOf(request));
    return sendPage(reply.code(404), {
      page: 'notice',
      title: say('expired.title'),
      text: say('expired.handoff', { minutes: handoffSeconds / 60 }),
    });
  });

  /** Slugs cannot be guessed, but each guess asks the database. */
  async function limit(request: FastifyRequest): Promise<void> {
    const rule = { ...server.config.anonymousRate, bucket: `address:${networkOf(request.ip)}` };
    const { allowed, retryAfterSeconds } = await server.limiter.take([rule]);
    if (!allowed) throw new AppError('RATE_LIMITED', 'Too many requests. Try again shortly.', { retryAfterSeconds });
  }
}

/** `Discord, Telegram or Reddit`. */
function anyPlatformIn({ locale }: ServerMessages): string {
  if (locale === 'en') return anyPlatform;
  const list = new Intl.ListFormat(locale, { type: 'disjunction' });
  return list.format(platformNames.map((name) => chatPlatforms[name].title));
}

function sendAsset(request: FastifyRequest, reply: FastifyReply, { type, bodies }: Asset): FastifyReply {
  const accepted = new Set((request.headers['accept-encoding'] ?? '').split(/\s*,\s*/));
  const coding = [...bodies.keys()].find((name) => accepted.has(name)) ?? 'identity';
  reply.headers({
    'cache-control': `public, max-age=${yearSeconds}, immutable`,
    'cross-origin-resource-policy': 'same-origin',
    vary: 'accept-encoding',
  });
  if (coding !== 'identity') reply.header('content-encoding', coding);
  return reply.type(type).send(bodies.get(coding));
}

const ethereum = 1;
/** Wallets show every chain that they are asked for. */
const maxChains = 20;

/** What the page that links wallets must know of WalletConnect; nothing, unless the operator chose it. */
export function offerWalletConnect(
  { walletConnect, evmRpcUrls }: Pick<Config, 'walletConnect' | 'evmRpcUrls'>,
  siteName: string,
): Pick<ConnectPage, 'walletConnect'> {
  if (walletConnect === undefined) return {};
  const read = [...evmRpcUrls.keys()].map(Number).filter((chainId) => Number.isSafeInteger(chainId));
  const evmChainIds = [...new Set([ethereum, ...read])].slice(0, maxChains);
  return { walletConnect: { ...walletConnect, siteName, evmChainIds } };
}

/**
 * Nothing runs but our own files, nothing is loaded from or sent to anywhere else, no other page can frame this one, and
 * no text can become a script. Wallets bring their icons as data. Only where the operator chose WalletConnect, the page
 * that links wallets may talk to its relay.
 */
const contentSecurityPolicy = (formTargets: readonly string[], relays: readonly string[]) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["connect-src 'self'", ...relays].join(' '),
    "img-src 'self' data:",
    "font-src 'self'",
    `form-action ${formTargets.length === 0 ? "'none'" : formTargets.join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

const headers = {
  'cache-control': 'no-store',
  // Some wallets sign in a window that they open; nobody else gets a hold of this one.
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'camera=(), geolocation=(), microphone=(), payment=(), publickey-credentials-create=(self), publickey-credentials-get=(self)',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
};

/**
 * Answers with a page of the console that is told `data`. The data may hold a token of the person: the page is neither
 * kept by caches nor named to other sites. `wantedLocales` are the languages that an application asks for.
 */
export function sendPage(
  reply: FastifyReply,
  data: PageData,
  formTargets: readonly string[] = [],
  wantedLocales: readonly string[] = [],
): FastifyReply {
  // The screens of the console are in English.
  const locale = data.page === 'console' ? 'en' : pageLocaleOf(reply.request, wantedLocales);
  const html = writeDocument(data, consoleBuild.page(data.page === 'console' ? 'console' : 'main', locale), locale);
  const policy = { 'content-security-policy': contentSecurityPolicy(formTargets, relaysOf(data)) };
  return reply
    .headers({ ...headers, ...policy })
    .type('text/html; charset=utf-8')
    .send(html);
}

function relaysOf(data: PageData): string[] {
  if (data.page !== 'connect' || data.walletConnect === undefined) return [];
  const { protocol, host } = new URL(data.walletConnect.relayUrl);
  return [`${protocol}//${host}`];
}

/** Where the files of the pages are served; Vite is told the same. */
export const assetsPath = '/console/assets/';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

interface Asset {
  type: string;
  /** By content coding, the smallest first; identity is always there. */
  bodies: ReadonlyMap<string, Buffer>;
}

/** The two pages that are built: one for the ways in and out, which stays small, and the console. */
type Entry = 'main' | 'console';

/** What Vite made of the pages. Throws UNAVAILABLE as long as it has not. */
interface Build {
  page(entry: Entry, locale?: PageLocale): BuiltPage;
  /** A file of the pages, kept in memory once it was asked for; nothing outside the build can be asked for. */
  findAsset(name: string): Promise<Asset | undefined>;
}

/** Reads a build once: its files have their hash in the name. */
export function openBuild(folder: string): Build {
  let manifest: Manifest | undefined;
  const assets = new Map<string, Promise<Asset>>();
  const read = () => {
    manifest ??= parseManifest(folder);
    return manifest;
  };
  return {
    page: (entry, locale) => describePage(read(), `src/${entry}.tsx`, locale),
    findAsset: async (name) => {
      if (!filesOf(read()).has(`assets/${name}`)) return undefined;
      const known = assets.get(name) ?? readAsset(join(folder, 'assets', name));
      assets.set(name, known);
      try {
        return await known;
      } catch (error) {
        assets.delete(name);
        manifest = undefined;
        throw notBuilt(error);
      }
    },
  };
}

export const consoleBuild = openBuild(
  join(fileURLToPath(import.meta.resolve('@latchkey/console/package.json')), '../dist'),
);

interface ManifestEntry {
  file: string;
  css?: string[];
  assets?: string[];
  imports?: string[];
}
type Manifest = Readonly<Record<string, ManifestEntry>>;

/** Everything that a page needs before it shows anything: its script, what that imports, its messages, and the styles. */
function describePage(manifest: Manifest, name: string, locale: PageLocale = 'en'): BuiltPage {
  const icon = manifest['src/mark.svg'];
  const entry = manifest[name];
  if (entry === undefined || icon === undefined) throw notBuilt();
  const needed = withImports(manifest, name).flatMap((key) => manifest[key] ?? []);
  const messages = manifest[`src/messages/${locale === pseudoLocale ? 'en' : locale}.ts`];
  return {
    script: address(entry.file),
    preloads: [...needed.filter((item) => item !== entry), ...(messages ? [messages] : [])].map(({ file }) =>
      address(file),
    ),
    styles: [...new Set(needed.flatMap(({ css = [] }) => css))].map(address),
    fonts: [...new Set(needed.flatMap(({ assets = [] }) => assets))].filter(isTextFont).map(address),
    icon: address(icon.file),
  };
}

/** The code font is not: most screens show none, and its fallback has the same width. */
function isTextFont(file: string): boolean {
  return /\/inter-[^/]*\.woff2$/.test(file);
}

function withImports(manifest: Manifest, name: string, seen: Set<string> = new Set()): string[] {
  if (seen.has(name)) return [];
  seen.add(name);
  return [name, ...(manifest[name]?.imports ?? []).flatMap((next) => withImports(manifest, next, seen))];
}

const address = (file: string) => file.replace(/^assets\//, assetsPath);

const files = new WeakMap<Manifest, ReadonlySet<string>>();

function filesOf(manifest: Manifest): ReadonlySet<string> {
  const known = files.get(manifest);
  if (known !== undefined) return known;
  const all = Object.values(manifest).flatMap(({ file, css = [], assets = [] }) => [file, ...css, ...assets]);
  const served = new Set(all.filter((file) => types[extname(file)] !== undefined));
  files.set(manifest, served);
  return served;
}

// The manifest is written by our own build.
function parseManifest(folder: string): Manifest {
  try {
    return JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8'));
  } catch (error) {
    throw notBuilt(error);
  }
}

async function readAsset(path: string): Promise<Asset> {
  const plain = await readFile(path);
  const type = types[extname(path)] ?? '';
  // Fonts are compressed already.
  if (type.startsWith('font/')) return { type, bodies: new Map([['identity', plain]]) };
  const [br, gzipped] = await Promise.all([promisify(brotliCompress)(plain), promisify(gzip)(plain)]);
  const bodies = new Map([
    ['br', br],
    ['gzip', gzipped],
    ['identity', plain],
  ]);
  return { type, bodies };
}

function notBuilt(cause?: unknown): AppError {
  return new AppError(
    'NOT_CONFIGURED',
    'This server’s pages have not been built. The operator can build them with: npm start',
    { retryAfterSeconds: 30, cause },
  );
}

/** The addresses of what a page is made of. */
interface BuiltPage {
  script: string;
  /** What the script imports, so that browsers fetch it at once. */
  preloads: readonly string[];
  styles: readonly string[];
  /** What the page is set in, asked for at once so that it is there for the first paint. */
  fonts: readonly string[];
  icon: string;
}

/** Writes the HTML of a page. All that people or applications have named goes through one of the two escapes below. */
export function writeDocument(
  data: PageData,
  { script, preloads, styles, fonts, icon }: BuiltPage,
  locale: PageLocale = 'en',
): string {
  const say = messagesIn(findLocale(locale));
  const title = escapeHtml(titleOf(data, say));
  return `<!doctype html>
<html lang="${locale}" dir="${directionOf(locale)}">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<link rel="icon" type="image/svg+xml" href="${icon}">
${fonts.map((font) => `<link rel="preload" as="font" type="font/woff2" href="${font}" crossorigin>`).join('\n')}
${styles.map((style) => `<link rel="stylesheet" href="${style}">`).join('\n')}
${preloads.map((file) => `<link rel="modulepreload" href="${file}">`).join('\n')}
<script type="application/json" id="page-data">${escapeJson(data)}</script>
<script type="module" src="${script}"></script>
</head>
<body>
<div id="root"></div>
<noscript><main><h1>${title}</h1><p>${escapeHtml(plainText(data, say))}</p></main></noscript>
</body>
</html>
`;
}

function titleOf(data: PageData, say: ServerMessages): string {
  switch (data.page) {
    case 'connect':
      return say('title.wallets');
    case 'handoff':
      return data.purpose === 'link' ? say('title.link') : say('title.signIn', { name: data.server });
    case 'console':
      return data.server;
    case 'enter':
      return say('title.signIn', { name: data.server });
    case 'x-return':
      return say('title.backFromX');
    case 'logout':
      return say('title.signOut');
    case 'login':
      return say('title.signIn', { name: data.client.name });
    case 'consent':
      return say('title.allow', { name: data.client.name });
    case 'notice':
      return data.title;
  }
}

function plainText(data: PageData, say: ServerMessages): string {
  if (data.page === 'notice') return [data.text, data.command].filter((part) => part !== undefined).join(' ');
  return say('page.needsScript');
}

// With no < there is neither an end tag nor a comment in it that a browser would look for inside a script.
function escapeJson(data: PageData): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? '');
}
