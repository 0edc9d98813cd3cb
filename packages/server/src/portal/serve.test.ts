import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Portal, servePortal } from './start.ts';

// As the build writes it, and a second one as an author might quote it in the text.
const guarded = `<!doctype html><head><meta charset="UTF-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self' 'sha256-abc+/='; img-src 'self' data:"></head><body><meta http-equiv="Content-Security-Policy" content="default-src *"></body>`;
const needy =
  '<!doctype html><aside hidden data-needs=telegram>No bot.</aside><details open><summary hidden>Show</summary>All</details>';
const long = 'Latchkey. '.repeat(500);

describe('the server of the portal', () => {
  let folder: string;
  let portal: Portal;

  before(async () => {
    const parent = await mkdtemp(join(tmpdir(), 'latchkey-portal-'));
    folder = join(parent, 'site');
    await mkdir(join(folder, 'docs/intro'), { recursive: true });
    await mkdir(join(folder, 'assets'), { recursive: true });
    await writeFile(join(parent, 'secret.txt'), 'secret');
    await writeFile(join(folder, 'index.html'), 'first');
    await writeFile(join(folder, '404.html'), 'nothing here');
    await writeFile(join(folder, 'docs/intro/index.html'), long);
    await mkdir(join(folder, 'docs/guarded'));
    await writeFile(join(folder, 'docs/guarded/index.html'), guarded);
    await mkdir(join(folder, 'docs/needy'));
    await writeFile(join(folder, 'docs/needy/index.html'), needy);
    await writeFile(join(folder, 'assets/main.abc.js'), 'let a;');
    await writeFile(join(folder, 'settings.json'), '{"ask":{"kind":"none"}}');
    await writeFile(join(folder, 'redirects.json'), '[{"from":"/old","to":"/docs/intro"}]');
    portal = await servePortal({ folder, host: '127.0.0.1', port: 0, apiUrl: 'http://127.0.0.1:3000' });
  });

  after(async () => {
    await portal.close();
    await rm(join(folder, '..'), { recursive: true });
  });

  test('serves a site built for a path under that path, and redirects there', async () => {
    const copy = join(folder, '../copy');
    await cp(folder, copy, { recursive: true });
    await writeFile(join(copy, 'redirects.json'), '[{"from":"/some/docs/old","to":"/some/docs/docs/intro"}]');
    const options = {
      folder: copy,
      host: '127.0.0.1',
      port: 0,
      basePath: '/some/docs/',
      apiUrl: 'http://127.0.0.1:3000',
    };
    await using below = await servePortal(options).then((site) => ({ ...site, [Symbol.asyncDispose]: site.close }));
    const ask = (path: string) => fetch(`${below.url}${path}`, { redirect: 'manual' });
    const pages = { '/some/docs/': 'first', '/some/docs/docs/intro': long, '/some/docs/assets/main.abc.js': 'let a;' };
    for (const [path, text] of Object.entries(pages)) assert.equal(await (await ask(path)).text(), text, path);
    assert.match((await ask('/some/docs/assets/main.abc.js')).headers.get('cache-control') ?? '', /immutable/);
    assert.equal((await (await ask('/some/docs/settings.json')).json()).apiUrl, 'http://127.0.0.1:3000');
    for (const [path, to] of [
      ['/', '/some/docs/'],
      ['/some/docs', '/some/docs/'],
      ['/some/docs/old', '/some/docs/docs/intro'],
      ['/some/docs/docs/intro.html?a=1', '/some/docs/docs/intro?a=1'],
      ['/some/docs/index.html', '/some/docs/'],
    ] as const) {
      const answer = await ask(path);
      assert.deepEqual([answer.status, answer.headers.get('location')], [301, to], path);
    }
    for (const path of [
      '/docs/intro',
      '/settings.json',
      '/some/docsx',
      '/some/docs/../secret.txt',
      '/some/docs/nowhere',
    ])
      assert.equal((await ask(path)).status, 404, path);
  });

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${portal.url}${path}`, { headers, redirect: 'manual' });

  test('sends each page’s policy as a header, and the strictest one with everything else', async () => {
    const policy = async (path: string) => (await get(path)).headers.get('content-security-policy');
    const own = "default-src 'none'; script-src 'self' 'sha256-abc+/='; img-src 'self' data:";
    assert.equal(await policy('/docs/guarded'), `${own}; frame-ancestors 'none'`);
    for (const path of ['/docs/intro', '/assets/main.abc.js', '/settings.json', '/old', '/nowhere'])
      assert.equal(await policy(path), "default-src 'none'; frame-ancestors 'none'", path);
    const { headers } = await get('/docs/guarded', { 'accept-encoding': 'br' });
    assert.equal(headers.get('content-security-policy'), `${own}; frame-ancestors 'none'`);
    for (const name of [
      'cross-origin-opener-policy',
      'permissions-policy',
      'referrer-policy',
      'x-content-type-options',
    ])
      assert.ok(headers.get(name), name);
  });

  test('serves a page at its plain URL', async () => {
    for (const path of ['/docs/intro', '/docs/intro/']) {
      const answer = await get(path);
      assert.equal(answer.status, 200);
      assert.equal(await answer.text(), long);
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(answer.headers.get('cache-control'), 'no-cache');
    }
  });

  test('redirects URLs with a file extension to the plain one, with their query', async () => {
    const moved = {
      '/docs/intro.html?a=1': '/docs/intro?a=1',
      '/docs/intro/index.html': '/docs/intro',
      '/index.html': '/',
    };
    for (const [from, to] of Object.entries(moved)) {
      const answer = await get(from);
      assert.equal(answer.status, 301);
      assert.equal(answer.headers.get('location'), to);
    }
  });

  test('redirects old URLs to their new location', async () => {
    const answer = await get('/old/');
    assert.equal(answer.status, 301);
    assert.equal(answer.headers.get('location'), '/docs/intro');
  });

  test('returns 404 with its page for any unknown path', async () => {
    for (const path of ['/nowhere', '/nowhere.html', '/docs', '/%E0%A4', '/%00', '/assets/..%2f..%2fsecret.txt']) {
      const answer = await get(path);
      assert.equal(answer.status, 404, path);
      assert.equal(await answer.text(), 'nothing here');
    }
  });

  test('does not leave its folder for unresolved dot segments', async () => {
    const { hostname, port } = new URL(portal.url);
    const status = await new Promise((resolve, reject) => {
      const sent = request({ hostname, port, path: '/../secret.txt' }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.on('error', reject);
      sent.end();
    });
    assert.equal(status, 404);
  });

  test('compresses large files, and lets browsers cache immutable ones', async () => {
    const page = await get('/docs/intro', { 'accept-encoding': 'br, gzip' });
    assert.equal(page.headers.get('content-encoding'), 'br');
    assert.equal(await page.text(), long);
    const script = await get('/assets/main.abc.js');
    assert.match(script.headers.get('cache-control') ?? '', /immutable/);
    assert.equal(script.headers.get('content-encoding'), null);
    await script.text();
  });

  test('returns 304 to a browser that already has the page', async () => {
    const first = await get('/docs/intro');
    await first.text();
    const again = await get('/docs/intro', { 'if-none-match': first.headers.get('etag') ?? '' });
    assert.equal(again.status, 304);
  });

  test('tells the site where the API is', async () => {
    assert.deepEqual(await (await get('/settings.json')).json(), {
      ask: { kind: 'none' },
      apiUrl: 'http://127.0.0.1:3000',
    });
  });

  test('tells the site what is set up, and folds pages about what is not', async () => {
    const setUp = { telegram: false };
    await using telling = await servePortal({ folder, host: '127.0.0.1', port: 0, setUp }).then((site) => ({
      ...site,
      [Symbol.asyncDispose]: site.close,
    }));
    const ask = async (site: Portal) => (await fetch(`${site.url}/docs/needy`)).text();
    assert.deepEqual((await (await fetch(`${telling.url}/settings.json`)).json()).setUp, setUp);
    assert.equal(await ask(telling), needy.replaceAll(' hidden', '').replace(' open', ''));
    assert.equal(await ask(portal), needy);
  });

  test('refuses other methods', async () => {
    const answer = await fetch(`${portal.url}/`, { method: 'POST', body: 'x' });
    assert.equal(answer.status, 405);
  });

  test('explains the situation as long as nothing was built', async () => {
    const empty = await servePortal({
      folder: join(folder, 'nowhere'),
      host: '127.0.0.1',
      port: 0,
      explainMissing: () => 'The documentation portal is being built.',
    });
    try {
      const answer = await fetch(empty.url);
      assert.equal(answer.status, 503);
      assert.equal(await answer.text(), 'The documentation portal is being built.\n');
    } finally {
      await empty.close();
    }
  });
});
