import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { PageData } from '@latchkey/kernel';
import Fastify from 'fastify';
import { readConfig } from '../config.ts';
import { addAssets, offerWalletConnect, openBuild, sendPage, writeDocument } from './routes.ts';

const built = { script: '/s.js', preloads: ['/p.js'], styles: ['/s.css'], fonts: ['/f.woff2'], icon: '/i.svg' };
const evil = `</ScRiPt><script>alert(1)</script><!--<script>&amp;"'\u2028`;

function readEmbedded(html: string): unknown {
  const [, json = ''] = /<script type="application\/json" id="page-data">(.*?)<\/script>/s.exec(html) ?? [];
  return JSON.parse(json);
}

test('a page gets its exact data, and no text in it can become markup', () => {
  const client = { name: evil, url: evil, returnsTo: evil };
  const data: PageData = { page: 'login', slug: evil, client, methods: ['wallet'] };
  const html = writeDocument(data, built);
  assert.deepEqual(readEmbedded(html), data);
  assert.equal(html.match(/<script/gi)?.length, 2);
  assert.equal(html.match(/<\/script/gi)?.length, 2);
  assert.ok(!html.includes('<!--'));
  assert.match(html, /<title>Sign in to &lt;\/ScRiPt&gt;/);
  assert.match(html, /<noscript><main><h1>Sign in to &lt;/);
});

test('a notice can be read without scripts', () => {
  const html = writeDocument({ page: 'notice', title: 'Over', text: 'This is over.' }, built);
  assert.match(html, /<noscript><main><h1>Over<\/h1><p>This is over\.<\/p>/);
});

test('a page has a policy that allows only its own files, and is not cached', async () => {
  await using fastify = Fastify();
  fastify.get('/page', (_request, reply) => sendPage(reply, { page: 'notice', title: 'A', text: 'B' }));
  const { headers, body } = await fastify.inject('/page');
  const policy = String(headers['content-security-policy']);
  for (const directive of [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ])
    assert.ok(policy.split('; ').includes(directive), directive);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['referrer-policy'], 'no-referrer');
  assert.match(String(headers['x-robots-tag']), /noindex/);
  assert.match(body, /<script type="module" src="\/console\/assets\/main-[\w-]+\.js">/);
});

test('a page is in the language that was chosen, else that of the application, else that of the browser', async () => {
  await using fastify = Fastify();
  const data: PageData = { page: 'logout', action: '/', proof: 'p' };
  fastify.get('/page', (_request, reply) => sendPage(reply, data));
  fastify.get('/console', (_request, reply) =>
    sendPage(reply, { page: 'console', server: 'Cats', build: '', methods: [] }),
  );
  fastify.get('/asked', (_request, reply) => sendPage(reply, data, [], ['sv', 'ko']));
  const show = async (url: string, headers: Record<string, string>) => {
    const { body } = await fastify.inject({ url, headers });
    const [, lang, dir] = /<html lang="([^"]*)" dir="([^"]*)">/.exec(body) ?? [];
    return {
      lang,
      dir,
      title: /<title>(.*?)<\/title>/.exec(body)?.[1],
      messages: /assets\/([\w-]+)-[\w-]{8}\.js">\n<script type="app/.exec(body)?.[1],
    };
  };
  const browser = { 'accept-language': 'sv, de-CH;q=0.9, en;q=0.5' };
  assert.deepEqual(await show('/page', {}), { lang: 'en', dir: 'ltr', title: 'Sign out?', messages: 'en' });
  assert.deepEqual(await show('/page', browser), { lang: 'de', dir: 'ltr', title: 'Abmelden?', messages: 'de' });
  assert.equal((await show('/asked', browser)).lang, 'ko');
  const chosen = { ...browser, cookie: 'a=b; latchkey-locale=ar' };
  assert.deepEqual(await show('/asked', chosen), { lang: 'ar', dir: 'rtl', title: 'تسجيل الخروج؟', messages: 'ar' });
  for (const cookie of ['latchkey-locale="><script>', 'latchkey-locale=xx', 'latchkey-locale=__proto__'])
    assert.equal((await show('/page', { ...browser, cookie })).lang, 'de', cookie);
  const pseudo = { cookie: 'latchkey-locale=en-XA' };
  assert.equal((await show('/page', pseudo)).lang, 'en-XA');
  assert.equal((await show('/console', chosen)).lang, 'en', 'the console has no other language yet');
  assert.equal((await show('/console', pseudo)).lang, 'en-XA', 'but shows which of its texts are in a catalogue');
});

test('the WalletConnect relay is allowed only on wallet pages, if the operator chose it', async () => {
  const config = readConfig({
    LATCHKEY_WALLETCONNECT_PROJECT_ID: 'abc',
    LATCHKEY_EVM_RPC_URLS: '1=https://rpc.example 137=https://rpc.example',
  });
  const account = { name: 'Ann', platform: 'discord' };
  const connect: PageData = { page: 'connect', token: 't', account, namespaces: ['evm'] };
  const { walletConnect } = offerWalletConnect(config, 'Cats');
  assert.deepEqual(walletConnect, { ...config.walletConnect, siteName: 'Cats', evmChainIds: [1, 137] });
  await using fastify = Fastify();
  fastify.get('/chosen', (_request, reply) => sendPage(reply, { ...connect, ...offerWalletConnect(config, 'Cats') }));
  fastify.get('/unset', (_request, reply) =>
    sendPage(reply, { ...connect, ...offerWalletConnect(readConfig({}), 'Cats') }),
  );
  const connectSources = async (path: string) => {
    const policy = String((await fastify.inject(path)).headers['content-security-policy']);
    return policy.split('; ').filter((directive) => directive.startsWith('connect-src'));
  };
  assert.deepEqual(await connectSources('/chosen'), ["connect-src 'self' wss://relay.walletconnect.org"]);
  assert.deepEqual(await connectSources('/unset'), ["connect-src 'self'"]);
  assert.doesNotMatch((await fastify.inject('/unset')).body, /walletconnect/i);
});

test('page files are compressed and cached forever, and nothing else is served', async () => {
  await using fastify = Fastify();
  addAssets(fastify);
  fastify.get('/page', (_request, reply) => sendPage(reply, { page: 'notice', title: 'A', text: 'B' }));
  const script = /src="([^"]+)"/.exec((await fastify.inject('/page')).body)?.[1] ?? '';
  const ask = (coding: string) => fastify.inject({ url: script, headers: { 'accept-encoding': coding } });
  const [plain, gzipped, brotli] = [await ask(''), await ask('gzip, deflate'), await ask('gzip, br')];
  assert.equal(plain.headers['content-type'], 'text/javascript; charset=utf-8');
  assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
  assert.equal(plain.headers['content-encoding'], undefined);
  assert.deepEqual(gunzipSync(gzipped.rawPayload), plain.rawPayload);
  assert.deepEqual(brotliDecompressSync(brotli.rawPayload), plain.rawPayload);
  assert.ok(gzipped.rawPayload.length < 90_000, `${gzipped.rawPayload.length} bytes of script`);
  for (const name of ['..%2f.vite%2fmanifest.json', '%2e%2e/package.json', 'main.js', 'constructor'])
    assert.equal((await fastify.inject(`/console/assets/${name}`)).statusCode, 404, name);
});

test('unbuilt pages are reported as missing, until they are built', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-pages-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const build = openBuild(folder);
  const isMissing = { code: 'NOT_CONFIGURED', message: /have not been built\. .* npm start$/ };
  assert.throws(() => build.page('main'), isMissing);
  await assert.rejects(build.findAsset('main.js'), isMissing);
  for (const path of ['.vite', 'assets']) mkdirSync(join(folder, path));
  const manifest = {
    'src/main.tsx': {
      file: 'assets/main.js',
      css: ['assets/main.css'],
      assets: ['assets/inter-latin.woff2', 'assets/jetbrains-mono-latin.woff2'],
      imports: ['_shared.js'],
    },
    '_shared.js': { file: 'assets/shared.js', css: ['assets/shared.css'], imports: ['src/main.tsx'] },
    'src/mark.svg': { file: 'assets/mark.svg' },
  };
  writeFileSync(join(folder, '.vite/manifest.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'assets/main.js'), 'run()');
  assert.deepEqual(build.page('main'), {
    script: '/console/assets/main.js',
    preloads: ['/console/assets/shared.js'],
    styles: ['/console/assets/main.css', '/console/assets/shared.css'],
    fonts: ['/console/assets/inter-latin.woff2'],
    icon: '/console/assets/mark.svg',
  });
  assert.equal((await build.findAsset('main.js'))?.bodies.get('identity')?.toString(), 'run()');
  assert.equal(await build.findAsset('other.js'), undefined);
});
