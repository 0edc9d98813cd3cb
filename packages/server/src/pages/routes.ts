import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import {
  connectLinkMinutes,
  contextFor,
  findJoinPage,
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
import { consoleLocaleOf, localeOf, pageLocaleOf } from '../http/locale-of.ts';
import { networkOf } from '../http/rate-limiter.ts';
import { addPictures } from './pictures.ts';

const yearSeconds = 365 * 24 * 60 * 60;

/** Serves the static files of pages. */
export function addAssets(fastify: FastifyInstance): void {
  fastify.get<{ Params: { file: string } }>(`${assetsPath}:file`, async (request, reply) => {
    const asset = await consoleBuild.findAsset(request.params.file);
    if (asset === undefined) throw new AppError('ROUTE_NOT_FOUND', 'File not found.');
    return sendAsset(request, reply, asset);
  });
}

/** Serves the page behind a link to connect wallets, and the files of all pages. */
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

  fastify.get<{ Params: { slug: string } }>('/telegram/join/:slug', async (request, reply) => {
    await limit(request);
    const anyone = contextFor(server.services, { kind: 'anonymous' });
    const found = await findJoinPage(anyone, request.params.slug);
    const { serviceName } = server.services.settings;
    if (found !== undefined) {
      const page = { ...found.page, ...offerWalletConnect(server.config, serviceName) };
      return sendPage(reply, page, [], found.locale === undefined ? [] : [found.locale]);
    }
    const say = messagesIn(localeOf(request));
    return sendPage(reply.code(404), { page: 'notice', title: say('expired.title'), text: say('expired.join') });
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

  /** Slugs cannot be guessed, but each guess queries the database. */
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
/** Wallets show every requested chain. */
const maxChains = 20;

/** Returns the WalletConnect settings of the page that links wallets; undefined unless the operator configured it. */
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
 * Only our own files run, nothing is loaded from or sent to other origins, no other page can frame this one, and no
 * text can become a script. Wallets provide their icons as data URLs. If the operator configured WalletConnect, the
 * page that links wallets may connect to its relay.
 */
interface PageSources {
  /** Where its forms may be sent. */
  forms: readonly string[];
  relays: readonly string[];
  frames: readonly string[];
  isInTelegram: boolean;
}

const contentSecurityPolicy = ({ forms, relays, frames, isInTelegram }: PageSources) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["connect-src 'self'", ...relays].join(' '),
    "img-src 'self' data:",
    "font-src 'self'",
    ...(frames.length === 0 ? [] : [`frame-src ${frames.join(' ')}`]),
    `form-action ${forms.length === 0 ? "'none'" : forms.join(' ')}`,
    "base-uri 'none'",
    // Telegram's web client shows Mini Apps in frames; its other clients open a browser of their own.
    `frame-ancestors ${isInTelegram ? 'https://web.telegram.org' : "'none'"}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

const headers = {
  'cache-control': 'no-store',
  // Some wallets sign in a popup that they open; other pages get no reference to this window.
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'camera=(), geolocation=(), microphone=(), payment=(), publickey-credentials-create=(self), publickey-credentials-get=(self)',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
};

/**
 * Sends a page of the console with `data`. The data may contain a token of the user, so the page is not cached and
 * sends no referrer. `wantedLocales` are the languages that an application requests.
 */
export function sendPage(
  reply: FastifyReply,
  data: PageData,
  formTargets: readonly string[] = [],
  wantedLocales: readonly string[] = [],
): FastifyReply {
  const { request } = reply;
  const locale = data.page === 'console' ? consoleLocaleOf(request) : pageLocaleOf(request, wantedLocales);
  const html = writeDocument(data, consoleBuild.page(data.page === 'console' ? 'console' : 'main', locale), locale);
  const policy = {
    'content-security-policy': contentSecurityPolicy({
      forms: data.page === 'form-post' ? [new URL(data.action).origin] : formTargets,
      relays: relaysOf(data),
      frames: data.page === 'signed-out' ? [...new Set(data.frames.map((address) => new URL(address).origin))] : [],
      isInTelegram: data.page === 'join',
    }),
  };
  return reply
    .headers({ ...headers, ...policy })
    .type('text/html; charset=utf-8')
    .send(html);
}

function relaysOf(data: PageData): string[] {
  if ((data.page !== 'connect' && data.page !== 'join') || data.walletConnect === undefined) return [];
  const { protocol, host } = new URL(data.walletConnect.relayUrl);
  return [`${protocol}//${host}`];
}

/** The path of the pages' files; also configured in Vite. */
export const assetsPath = '/console/assets/';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

interface Asset {
  type: string;
  /** By content coding, smallest first; always includes identity. */
  bodies: ReadonlyMap<string, Buffer>;
}

/** The two built pages: a small one for signing in and out, and the console. */
type Entry = 'main' | 'console';

/** The output of Vite. Throws UNAVAILABLE until it exists. */
interface Build {
  page(entry: Entry, locale?: PageLocale): BuiltPage;
  /** Returns a file of the build, cached in memory after the first request. Nothing outside the build is accessible. */
  findAsset(name: string): Promise<Asset | undefined>;
}

/** Reads a build once: its file names contain hashes. */
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

/** The code font is not preloaded: most screens show none, and its fallback has the same width. */
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

/** The URLs of a page's files. */
interface BuiltPage {
  script: string;
  /** The imports of the script, so that browsers fetch them at once. */
  preloads: readonly string[];
  styles: readonly string[];
  /** Preloaded, so that they are there for the first paint. */
  fonts: readonly string[];
  icon: string;
}

/**
 * Writes the HTML of a page. Everything that users or applications provide goes through one of the two escapes below.
 */
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
    case 'join':
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
    case 'signed-out':
      return say('title.signOut');
    case 'form-post':
      return say('title.signIn', { name: data.client });
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

// Without < there is neither an end tag nor a comment in it that a browser would recognize inside a script.
function escapeJson(data: PageData): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? '');
}
