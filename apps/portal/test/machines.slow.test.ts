import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { portalFolder, siteFolder } from '../config/folders.ts';
import { spellings } from '../config/redirects.ts';
import routes from '../config/routes.json' with { type: 'json' };
import { siteForSuite, withoutBrowser } from './site.ts';

/** Neither is a page to read, to index or to share. */
const tools = ['/search', '/404.html'];
const paths = routes.map(({ path }) => path).filter((path) => !tools.includes(path));
const posts = 6;

describe('the site for machines', () => {
  const site = siteForSuite();

  async function fetchText(path: string): Promise<string> {
    const response = await fetch(`${site.url}${path}`);
    assert.equal(response.status, 200, path);
    return response.text();
  }
  const pathOf = (address: string) => new URL(address, site.url).pathname;

  /** Returns the texts of the elements of an XML file by name, parsed by a browser, which refuses malformed XML. */
  async function readXml(path: string, name: string): Promise<string[]> {
    await using opened = await site.visit('/robots.txt', { startsUp: false });
    const found = await opened.page.evaluate(
      ([text = '', wanted = '']) => {
        const tree = new DOMParser().parseFromString(text, 'application/xml');
        const fault = tree.querySelector('parsererror')?.textContent;
        return { fault, texts: [...tree.getElementsByTagName(wanted)].map((element) => element.textContent ?? '') };
      },
      [await fetchText(path), name],
    );
    assert.equal(found.fault, undefined);
    return found.texts;
  }

  const visited = ['/', '/blog', '/blog/welcome', '/apis/', '/apis/access-control', '/search?q=wallet', '/docs/intro'];

  test('nothing on the pages, and nothing readers do there, is blocked by the security policy', {
    skip: withoutBrowser,
  }, async () => {
    await using opened = await site.visit('/');
    const { page, faults } = opened;
    for (const path of visited) {
      await page.goto(`${site.url}${path}`);
      await page.waitForLoadState('networkidle');
      assert.deepEqual(faults, [], path);
    }
    await page.getByRole('button', { name: /dark and light mode/ }).click();
    // The progress bar comes first.
    const bar = page.locator('#nprogress').waitFor({ state: 'attached' });
    await page.route('**/assets/js/**', async (route) => {
      await bar;
      await route.continue();
    });
    await page.getByRole('link', { name: 'DAO', exact: true }).click();
    await bar;
    await page.waitForURL('**/dao/**');
    // The URL changes first; the new page has its own menu.
    await page.locator('.navbar__link--active', { hasText: 'DAO' }).waitFor();
    await page.locator('.theme-doc-sidebar-menu button, .menu__link--sublist').first().click();
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByRole('button', { name: 'Toggle navigation bar' }).click();
    await page.locator('.navbar-sidebar').waitFor();
    assert.deepEqual(faults, []);
  });

  test('the policy blocks a script and a style that were not there when the site was built', {
    skip: withoutBrowser,
  }, async () => {
    await using opened = await site.visit('/docs/intro');
    const { page, faults } = opened;
    const has = await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'document.body.dataset.foreign = "yes"';
      document.head.append(script);
      const block = document.createElement('div');
      block.innerHTML = '<p style="position: fixed">Foreign</p>';
      document.body.append(block);
      const position = getComputedStyle(block.firstElementChild ?? block).position;
      return { script: document.body.dataset.foreign, position };
    });
    assert.deepEqual(has, { script: undefined, position: 'static' });
    // Each is blocked by the header and by the policy in the page.
    assert.ok(faults.filter((fault) => fault.includes('Content Security Policy')).length >= 2);
  });

  test('a missing page has a policy as well', async () => {
    const response = await fetch(`${site.url}/nowhere`);
    assert.equal(response.status, 404);
    assert.match(await response.text(), /http-equiv="Content-Security-Policy"/);
    assert.match(
      response.headers.get('content-security-policy') ?? '',
      /script-src 'self' 'sha256-.*frame-ancestors 'none'/,
    );
  });

  test('every page links its Markdown version and its preview image, and both exist', async () => {
    for (const path of paths) {
      const html = await fetchText(path);
      const [, emulator = ''] = html.match(/<link rel="alternate" type="text\/markdown" href="([^"]+)">/) ?? [];
      const markdown = await fetchText(emulator);
      assert.match(markdown, /^# .+\n\n(?:> .+\n\n)?Page: </, path);
      assert.doesNotMatch(markdown, /\]\((?!https?:|mailto:)/, path);
      const [, image = ''] = html.match(/<meta [^>]*property="?og:image"? content="?([^"> ]+)/) ?? [];
      assert.match(html, /property="?og:image:alt"? content="Latchkey documentation"/, path);
      const png = Buffer.from(await (await fetch(`${site.url}${pathOf(image)}`)).arrayBuffer());
      assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [1200, 630], path);
    }
  });

  test('a doc page keeps its steps, code and tables as Markdown', async () => {
    const markdown = await fetchText('/docs/intro.md');
    assert.match(markdown, /^1\. /m);
    assert.match(markdown, /^ *```bash$/m);
    assert.match(markdown, /^\| .+ \|\n\| - \|/m);
  });

  test('llms.txt links to existing Markdown, and lists every guide', async () => {
    const text = await fetchText('/llms.txt');
    assert.match(text, /^# .+\n\n> .+\n\n/);
    const links = [...text.matchAll(/^- \[.+\]\((\S+)\)/gm)].map(([, address = '']) => pathOf(address));
    for (const link of links) assert.match(await fetchText(link), /^# /);
    const guides = paths.filter((path) => /^\/(?:docs|help-docs|operators|dao|telefrens)\//.test(path));
    const missing = guides.filter((path) => !links.includes(`${path.replace(/\/$/, '')}.md`));
    assert.deepEqual(missing, []);
    const full = await fetchText('/llms-full.txt');
    assert.deepEqual(
      guides.filter((path) => !full.includes(`${path}>\n`)),
      [],
    );
  });

  test('the sitemap has every page, and robots find it', { skip: withoutBrowser }, async () => {
    const mapped = new Set((await readXml('/sitemap.xml', 'loc')).map(pathOf));
    assert.deepEqual(
      paths.filter((path) => !mapped.has(path)),
      [],
    );
    assert.deepEqual(
      tools.filter((path) => mapped.has(path)),
      [],
    );
    const [, map = ''] = (await fetchText('/robots.txt')).match(/^Sitemap: (\S+)$/m) ?? [];
    assert.equal(pathOf(map), '/sitemap.xml');
  });

  test('the sitemap dates every page', { skip: withoutBrowser }, async (context) => {
    const dates = await readXml('/sitemap.xml', 'lastmod');
    const { stdout } = spawnSync('git', ['log', '-1', '--format=%cs', '--', '.'], {
      cwd: portalFolder,
      encoding: 'utf8',
    });
    if (!stdout) return context.skip('Git has no history of the pages here.');
    assert.equal(dates.length, (await readXml('/sitemap.xml', 'loc')).length);
    assert.deepEqual(
      dates.filter((date) => !/^\d{4}-\d\d-\d\d$/.test(date)),
      [],
    );
  });

  test('all three feeds have every post', { skip: withoutBrowser }, async () => {
    assert.equal((await readXml('/blog/rss.xml', 'item')).length, posts);
    assert.equal((await readXml('/blog/atom.xml', 'entry')).length, posts);
    const { items } = JSON.parse(await fetchText('/blog/feed.json'));
    assert.equal(items.length, posts);
  });

  test('an address in another spelling redirects to its page', { skip: withoutBrowser }, async (context) => {
    for (const { from, to } of spellings) {
      if (!existsSync(join(siteFolder, from, 'index.html'))) return context.skip('This disk knows no case.');
      await using opened = await site.visit(`${from}?a=1#b`, { startsUp: false });
      await opened.page.waitForURL(`${site.url}${to}?a=1#b`);
    }
  });
});
