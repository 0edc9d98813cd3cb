import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { allowScripts } from './allow-scripts.ts';
import { oursFolder, portalFolder, redocFolder, stockFolder } from './folders.ts';

interface Spent {
  wallSeconds: number;
  /** Of the command and its children: the figure that a busy machine changes least. */
  cpuSeconds: number;
}

interface Build {
  cold: Spent;
  warm: Spent;
}

export interface Sites {
  /** Folders of built sites. */
  ours: string;
  stock: string;
  redoc: string;
  builds: Record<string, Build>;
}

const docusaurus = createRequire(import.meta.url).resolve('@docusaurus/core/bin/docusaurus.mjs');

/** Builds the three sites. The two whose build time is compared are built twice: without a cache, then with it. */
export function buildSites(): Sites {
  const ours = twice(portalFolder, () => timeNode(portalFolder, 'build.ts'));
  const pages = writeStockSite(oursFolder, stockFolder);
  const stock = twice(stockFolder, () => timeNode(stockFolder, docusaurus, 'build'));
  writeRedocSite(redocFolder);
  mkdirSync(join(redocFolder, 'static'), { recursive: true });
  copyFileSync(join(portalFolder, '.generated/openapi.json'), join(redocFolder, 'openapi.json'));
  timeNode(redocFolder, docusaurus, 'build');
  for (const folder of [stockFolder, redocFolder]) allowScripts(join(folder, 'build'));
  return {
    ours: oursFolder,
    stock: join(stockFolder, 'build'),
    redoc: join(redocFolder, 'build'),
    builds: { ours, [`stock, ${pages} pages`]: stock },
  };
}

function twice(folder: string, build: () => Spent): Build {
  for (const kept of ['.docusaurus', 'node_modules/.cache'])
    rmSync(join(folder, kept), { recursive: true, force: true });
  return { cold: build(), warm: build() };
}

/** Runs a Node program and returns its cost. Its output is shown only if it fails. */
function timeNode(cwd: string, ...args: string[]): Spent {
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['-c', 'TIMEFORMAT="spent %R %U %S"; time "$@"', '-', process.execPath, ...args],
    {
      cwd,
      encoding: 'utf8',
      env: { ...process.env, NODE_ENV: 'production', LC_ALL: 'C' },
      maxBuffer: 2 ** 28,
    },
  );
  const [wall, user, system] = (/spent ([\d.]+) ([\d.]+) ([\d.]+)\s*$/.exec(stderr) ?? []).slice(1).map(Number);
  if (status !== 0 || wall === undefined || user === undefined || system === undefined)
    throw new Error(`${args.join(' ')} failed.\n${stdout}\n${stderr}`);
  return { wallSeconds: wall, cpuSeconds: user + system };
}

/** Folders of pages, each a separate docs instance, as in the portal. */
const instances = ['docs', 'help-docs', 'operators', 'dao', 'telefrens', 'apis'];

/** Pages outside of the docs instances. */
const plainPages = new Set(['index.md', 'markdown-page.md']);

/**
 * Writes an unmodified Docusaurus site with the pages of the portal: the content of their Markdown versions, without the portal's own
 * features. Returns the number of pages.
 */
function writeStockSite(built: string, folder: string): number {
  clear(folder);
  write(folder, 'package.json', '{}');
  write(folder, 'docusaurus.config.js', stockConfig(instances));
  write(folder, 'src/css/custom.css', siteStyles);
  const emulators = readdirSync(built, { recursive: true, encoding: 'utf8' })
    .map((name) => name.split(sep).join('/'))
    .filter((name) => name.endsWith('.md'));
  const pages = emulators.flatMap((name) => {
    const target = targetOf(name, built);
    if (target === undefined) return [];
    const { title, description, body } = readMarkdown(readFileSync(join(built, name), 'utf8'));
    const slug = /^blog\/[\d-]{11}(.+)\.md$/.exec(target)?.[1];
    const cut = slug === undefined ? body : body.replace('\n\n', '\n\n<!-- truncate -->\n\n');
    const front = { title, description, ...(slug === undefined ? {} : { slug }) };
    const lines = Object.entries(front).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
    write(folder, target, `---\n${lines.join('\n')}\n---\n\n${cut}`);
    return [target];
  });
  return pages.length;
}

/** Writes a site whose only page is the default Redoc preset. */
function writeRedocSite(folder: string): void {
  clear(folder);
  write(folder, 'package.json', '{}');
  write(folder, 'docusaurus.config.js', redocConfig);
}

/** Returns where the copy of a page goes. What Docusaurus generates, lists of posts and tags, is left to it. */
function targetOf(name: string, built: string): string | undefined {
  const [first = ''] = name.replace(/\.md$/, '').split('/');
  if (first === 'blog') return postOf(name);
  if (!instances.includes(first)) return plainPages.has(name) ? `src/pages/${name}` : undefined;
  const isFolder = readsAsFolder(join(built, name.replace(/\.md$/, '')), built);
  return isFolder || instances.includes(name.replace(/\.md$/, '')) ? name.replace(/\.md$/, '/index.md') : name;
}

/** Whether there are pages below this one. */
function readsAsFolder(path: string, built: string): boolean {
  if (!existsSync(path) || path === built) return false;
  return readdirSync(path).some((name) => name.endsWith('.md'));
}

function postOf(name: string): string | undefined {
  const slug = /^blog\/([^/]+)\.md$/.exec(name)?.[1];
  const source = readdirSync(join(portalFolder, 'blog')).find((file) => file.slice(11) === `${slug}.md`);
  return source === undefined ? undefined : `blog/${source}`;
}

function clear(folder: string): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : [])
    if (name !== 'node_modules') rmSync(join(folder, name), { recursive: true, force: true });
}

function write(folder: string, path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

interface Emulator {
  title: string;
  description: string;
  body: string;
}

/** Parses the Markdown version of a page: a heading, the description as a quotation, its URL, the text. */
function readMarkdown(text: string): Emulator {
  const title = /^# (.+)$/m.exec(text)?.[1] ?? 'Untitled';
  const description = /^> (.+)$/m.exec(text)?.[1] ?? '';
  const address = /^Page: <(.+)>$/m.exec(text)?.[1];
  const start = /^Page: <.+>$/m.exec(text);
  const body = start === null ? text.replace(/^# .+$/m, '') : text.slice(start.index + start[0].length);
  const origin = address === undefined ? undefined : new URL(address).origin;
  return { title, description, body: (origin === undefined ? body : body.replaceAll(`${origin}/`, '/')).trim() };
}

/** The settings of Docusaurus's own template, with as many docs instances as the portal has. Broken links are allowed. */
function stockConfig(instances: readonly string[]): string {
  const docs = instances.map((id, index) => [
    '@docusaurus/plugin-content-docs',
    { id: index === 0 ? 'default' : id, path: id, routeBasePath: id },
  ]);
  const blog = { showReadingTime: true, feedOptions: { type: ['rss', 'atom'], xslt: true } };
  const others = ['@docusaurus/plugin-content-pages', '@docusaurus/plugin-sitemap'];
  const plugins = [...docs, ['@docusaurus/plugin-content-blog', blog], ...others];
  const items = instances.map((id) => ({ to: `/${id}/${id === 'apis' ? '' : 'intro'}`, label: id, position: 'left' }));
  return `import { themes } from 'prism-react-renderer';
export default {
  title: 'My Site',
  tagline: 'Dinosaurs are cool',
  favicon: 'img/favicon.ico',
  future: { v4: true },
  url: 'http://localhost:3001',
  baseUrl: '/',
  onBrokenLinks: 'ignore',
  onBrokenAnchors: 'ignore',
  markdown: { format: 'md', hooks: { onBrokenMarkdownLinks: 'ignore', onBrokenMarkdownImages: 'ignore' } },
  i18n: { defaultLocale: 'en', locales: ['en'] },
  plugins: ${JSON.stringify(plugins)},
  themes: [['@docusaurus/theme-classic', { customCss: './src/css/custom.css' }]],
  themeConfig: {
    colorMode: { respectPrefersColorScheme: true },
    navbar: { title: 'My Site', items: ${JSON.stringify([...items, { to: '/blog', label: 'Blog', position: 'left' }])} },
    footer: { style: 'dark', links: [{ title: 'Docs', items: [{ label: 'Tutorial', to: '/docs/intro' }] }], copyright: 'Built with Docusaurus.' },
    prism: { theme: themes.github, darkTheme: themes.dracula },
  },
};
`;
}

/** The default Redoc preset, with the description that the portal renders. */
const redocConfig = `export default {
  title: 'My Site',
  future: { v4: true },
  url: 'http://localhost:3001',
  baseUrl: '/',
  onBrokenLinks: 'ignore',
  presets: [['redocusaurus', { specs: [{ id: 'api', spec: 'openapi.json', route: '/apis/' }] }]],
  themes: ['@docusaurus/theme-classic'],
};
`;

const siteStyles = `:root {
  --ifm-color-primary: #2e8555;
  --ifm-code-font-size: 95%;
}
`;
