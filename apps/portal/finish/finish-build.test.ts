import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type FinishReport, finishBuild } from './finish-build.ts';

const site = { url: 'https://example.org', baseUrl: '/some/base/' };
const address = (path: string) => `https://example.org/some/base${path}`;

/** A page as the generator writes it: minified, with optional markup left out. */
function page(path: string, { title = 'A page', next = '', main = '<p>Text</p>' } = {}): string {
  const foot =
    next === ''
      ? ''
      : `<nav><a class="pagination-nav__link pagination-nav__link--next" href=/some/base${next}>Next</a></nav>`;
  return [
    `<!doctype html><html lang=en><head><meta charset=UTF-8><title data-rh=true>${title} | Site</title>`,
    `<meta data-rh=true name=description content="About ${title}."/><link rel=canonical href=${address(path)} />`,
    `<link rel=stylesheet href=/some/base/a.css /><script src=/some/base/main.js defer></script></head><body><svg style="display: none;"><defs></defs></svg>`,
    `<script>theme()</script><div id=__docusaurus><main><h1>${title}</h1>${main}${foot}</main></div></body></html>`,
  ].join('');
}

const redirect = (to: string) =>
  `<!DOCTYPE html>\n<html>\n<head>\n<meta charset="UTF-8">\n<meta http-equiv="refresh" content="0; url=${to}">\n</head>\n<script>go()</script>\n</html>`;

const files: Record<string, string> = {
  'index.html': page('/', { title: 'Home' }),
  '404.html': page('/404.html', { title: 'Not found' }),
  'search/index.html': page('/search', { title: 'Search' }),
  'old/index.html': redirect('/some/base/docs/intro'),
  'docs/intro/index.html': page('/docs/intro', { title: 'Intro', next: '/docs/tutorials/' }),
  'docs/tutorials/index.html': page('/docs/tutorials/', {
    title: 'Tutorials',
    next: '/docs/a',
    main: '<p>To <a href=/some/base/docs/a>A</a>, as <code>a</code></p>',
  }),
  'docs/a/index.html': page('/docs/a', { title: 'A [first]' }),
  'docs/0.64/intro/index.html': page('/docs/0.64/intro', { title: 'Old intro', main: '<p style=color:red>Red</p>' }),
  'blog/index.html': page('/blog', { title: 'Blog' }),
  'blog/tags/x/index.html': page('/blog/tags/x', { title: 'Posts about x' }),
  'help-docs/errors/Permissions/index.html': page('/help-docs/errors/Permissions', { title: 'Permissions' }),
};

describe('the last step of the build', () => {
  let folder: string;
  let report: FinishReport;
  const read = (path: string) => readFile(join(folder, 'site', path), 'utf8');
  const finish = () => finishBuild(join(folder, 'site'), site);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'finish-'));
    await mkdir(join(folder, 'site'));
    await writeFile(join(folder, 'site/a.css'), 'main h1{color:red}.absent{color:blue}');
    await mkdir(join(folder, 'site/assets/fonts'), { recursive: true });
    for (const font of ['inter-latin-wght-normal-1.woff2', 'jetbrains-mono-latin-wght-normal-2.woff2'])
      await writeFile(join(folder, 'site/assets/fonts', font), '');
    for (const [path, html] of Object.entries(files)) {
      await mkdir(dirname(join(folder, 'site', path)), { recursive: true });
      await writeFile(join(folder, 'site', path), html);
    }
    report = await finish();
  });
  after(() => rm(folder, { recursive: true }));

  test('gives every file its policy, right after the character set', async () => {
    for (const path of Object.keys(files))
      assert.match(
        await read(path),
        /<meta charset="?UTF-8"?>\s*<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self' 'sha256-[^"]+">/,
        path,
      );
    assert.equal((await read('index.html')).includes('style='), false);
  });

  test('inlines the styles a page needs, and loads the stylesheet after the content', async () => {
    const html = await read('docs/intro/index.html');
    assert.match(html, /<style>main h1\{color:red\}<\/style><script src=\/some\/base\/main\.js defer>/);
    assert.match(html, /<\/main><\/div><link rel=stylesheet href=\/some\/base\/a\.css \/><\/body>/);
    assert.match(html, /style-src 'self' 'sha256-[\w+/]+='; /);
    assert.equal((await read('old/index.html')).includes('<style>'), false);
  });

  test('preloads the text font on every page, and the code font only where there is code', async () => {
    const fontsOf = async (path: string) =>
      [...(await read(path)).matchAll(/<link rel="preload" as="font"[^>]*fonts\/(\w+)-/g)].map(([, name]) => name);
    assert.deepEqual(await fontsOf('docs/intro/index.html'), ['inter']);
    assert.deepEqual(await fontsOf('docs/tutorials/index.html'), ['inter', 'jetbrains']);
  });

  test('names the inline styles that browsers would ignore', () => {
    assert.deepEqual(report.inlineStyles, ['docs/0.64/intro/index.html: <p style=color:red>']);
  });

  test('writes a Markdown version beside every page, which its head names, below the base path', async () => {
    assert.equal(report.markdownPages, 8);
    for (const [page, markdown] of [
      ['index.html', '/index.md'],
      ['docs/intro/index.html', '/docs/intro.md'],
      ['docs/tutorials/index.html', '/docs/tutorials.md'],
    ] as const) {
      assert.ok(
        (await read(page)).includes(`<link rel="alternate" type="text/markdown" href="/some/base${markdown}">`),
      );
      assert.match(await read(markdown), /^# /);
    }
    assert.ok((await read('docs/tutorials.md')).includes(`To [A](${address('/docs/a')})`));
    for (const none of ['search.md', '404.md', '404.html.md', 'old.md'])
      assert.equal(existsSync(join(folder, 'site', none)), false, none);
  });

  test('lists the Markdown versions for language models in reading order, with older versions and lists at the end', async () => {
    const text = await read('llms.txt');
    assert.ok(text.startsWith('# Latchkey documentation\n\n> About Home.\n\n'));
    const lines = text.split('\n').filter((line) => /^(?:##|-) /.test(line));
    const entry = (title: string, path: string) =>
      `- [${title}](${address(path)}): About ${title.replaceAll('\\', '')}.`;
    assert.deepEqual(lines, [
      '## Developers',
      entry('Intro', '/docs/intro.md'),
      entry('Tutorials', '/docs/tutorials.md'),
      entry('A \\[first\\]', '/docs/a.md'),
      '## Members and admins',
      entry('Permissions', '/help-docs/errors/Permissions.md'),
      '## Blog',
      entry('Blog', '/blog.md'),
      '## Optional',
      entry('Posts about x', '/blog/tags/x.md'),
      entry('Old intro', '/docs/0.64/intro.md'),
    ]);
    const titles = (await read('llms-full.txt')).match(/^# .*/gm);
    assert.deepEqual(titles, ['# Intro', '# Tutorials', '# A \\[first]', '# Permissions']);
  });

  test('tells robots where the sitemap is', async () => {
    assert.ok((await read('robots.txt')).includes(`Sitemap: ${address('/sitemap.xml')}\n`));
  });

  test('redirects from another spelling to the page on case-sensitive disks, and harms no page on others', async () => {
    const target = await read('help-docs/errors/Permissions/index.html');
    assert.ok(target.includes('<h1>Permissions</h1>'));
    if (report.spellings === 0) return;
    const html = await read('help-docs/errors/permissions/index.html');
    assert.ok(html.includes('url=/some/base/help-docs/errors/Permissions"'));
    assert.match(html, /script-src 'self' 'sha256-/);
  });

  test('does not run twice on the same files', async () => {
    await assert.rejects(finish(), /already finished/);
  });
});
