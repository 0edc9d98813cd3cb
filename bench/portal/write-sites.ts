import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { portalFolder } from './folders.ts';
import { readMarkdown } from './read-emulator.ts';
import { redocConfig, siteStyles, stockConfig } from './stock-files.ts';

/** Folders of pages, each a documentation of its own, as in the portal. */
export const instances = ['docs', 'help-docs', 'operators', 'dao', 'telefrens', 'apis'];

/** Pages outside of the documentations. */
const plainPages = new Set(['index.md', 'markdown-page.md']);

/**
 * Writes an untouched Docusaurus site with the pages of the portal: what their Markdown versions say, without anything of
 * the portal's own. Answers how many pages it has.
 */
export function writeStockSite(built: string, folder: string): number {
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

/** Writes a site whose one page is the stock Redoc preset. */
export function writeRedocSite(folder: string): void {
  clear(folder);
  write(folder, 'package.json', '{}');
  write(folder, 'docusaurus.config.js', redocConfig);
}

/** Where the emulator of a page goes. What Docusaurus makes by itself, lists of posts and tags, is left to it. */
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
