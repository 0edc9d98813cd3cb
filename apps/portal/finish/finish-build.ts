import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { spellings } from '../config/redirects.ts';
import { type Edit, editText, escapeAttribute } from './edit-text.ts';
import { FirstStyles } from './first-styles/place-styles.ts';
import { type PageWithMarkdown, writeLlms, writeLlmsFull } from './llms.ts';
import { writeMarkdown } from './markdown/write-markdown.ts';
import { absolute, markdownPath, type Page, readPage, type Site } from './page.ts';
import { policyFor, policyTag, removeStyles } from './policy.ts';
import { attributeOf, findElement, isElement } from './tree.ts';

export interface FinishReport {
  htmlFiles: number;
  markdownPages: number;
  /** URLs with another case that now redirect to their page. */
  spellings: number;
  /** Files and tags whose inline style browsers ignore because of the content security policy. */
  inlineStyles: string[];
}

/**
 * The last step of the build, on the files that Docusaurus wrote: in every HTML file a content security policy and the
 * styles of its first paint, and for machines a Markdown version of every page, `llms.txt`, `llms-full.txt` and
 * `robots.txt`.
 */
export async function finishBuild(folder: string, site: Site): Promise<FinishReport> {
  const spelt = await writeSpellings(folder, spellings, site);
  const files = await readPages(folder, site);
  const pages = files.filter(({ kind }) => kind === 'page');
  const inlineStyles: string[] = [];
  const styles = new FirstStyles(folder, site.baseUrl);
  const fonts = await fontTags(folder, site);
  for (const page of files) {
    const late = page.kind === 'page' ? emulatorLink(page, site) : '';
    inlineStyles.push(...(await finishFile(folder, page, { early: fonts(page), late }, styles)));
  }
  const markdownPages = pages.map((page): PageWithMarkdown => ({ page, markdown: writeMarkdown(page) }));
  for (const { page, markdown } of markdownPages) await write(folder, markdownPath(page.route), markdown);
  await write(folder, 'llms.txt', writeLlms(pages, site));
  await write(folder, 'llms-full.txt', writeLlmsFull(markdownPages));
  await write(folder, 'robots.txt', `User-agent: *\nAllow: /\n\nSitemap: ${absolute('/sitemap.xml', site)}\n`);
  return {
    htmlFiles: files.length,
    markdownPages: markdownPages.length,
    spellings: spelt,
    inlineStyles,
  };
}

function emulatorLink({ route }: Page, site: Site): string {
  const { pathname } = new URL(absolute(markdownPath(route), site));
  return `<link rel="alternate" type="text/markdown" href="${escapeAttribute(pathname)}">`;
}

/**
 * Preloads fonts, so that they are there for the first paint: the code font only on pages with code. A font must be preloaded without
 * cookies; otherwise it is fetched twice.
 */
async function fontTags(folder: string, { baseUrl }: Site): Promise<(page: Page) => string> {
  const names = await readdir(join(folder, 'assets/fonts')).catch(() => []);
  const tags = names
    .filter((name) => name.endsWith('.woff2'))
    .map((name) => ({
      isOfCode: /-mono-/.test(name),
      tag: `<link rel="preload" as="font" type="font/woff2" href="${baseUrl}assets/fonts/${name}" crossorigin>`,
    }));
  return ({ tree }) => {
    const hasCode = findElement(tree, ({ tagName }) => /^(?:code|pre|kbd)$/.test(tagName)) !== undefined;
    return tags
      .filter(({ isOfCode }) => hasCode || !isOfCode)
      .map(({ tag }) => tag)
      .join('');
  };
}

async function readPages(folder: string, site: Site): Promise<Page[]> {
  const pages: Page[] = [];
  for (const file of await htmlFiles(folder)) {
    const html = await readFile(join(folder, file), 'utf8');
    if (html.includes('http-equiv="Content-Security-Policy"'))
      throw new Error(`${file} is already finished. Rebuild the site, then finish it once.`);
    pages.push(readPage(file, html, site));
  }
  return pages;
}

/** Writes the policy, the first styles and the tags into a file's head. Returns the remaining inline styles. */
async function finishFile(
  folder: string,
  page: Page,
  tags: { early: string; late: string },
  styles: FirstStyles,
): Promise<string[]> {
  const { edits, left } = removeStyles(page.tree, page.html);
  const placed = await styles.place(page);
  const policy: Edit = { ...startOfHead(page), text: policyTag(policyFor(page.tree, placed?.css)) + tags.early };
  const place = page.head.sourceCodeLocation?.endTag?.startOffset ?? policy.end;
  const ofMachines: Edit = { start: place, end: place, text: tags.late };
  await write(folder, page.file, editText(page.html, [policy, ...edits, ...(placed?.edits ?? []), ofMachines]));
  return left.map((tag) => `${page.file}: ${tag}`);
}

/** After the character set, which must be within the first 1024 bytes, and before everything that is loaded. */
function startOfHead({ head, file }: Page): { start: number; end: number } {
  const [first] = head.childNodes.filter(isElement);
  const isCharset = first !== undefined && attributeOf(first, 'charset') !== undefined;
  const place = isCharset ? first.sourceCodeLocation?.endOffset : head.sourceCodeLocation?.startTag?.endOffset;
  if (place === undefined) throw new Error(`${file} has no head element. Rebuild the site.`);
  return { start: place, end: place };
}

async function htmlFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names
    .filter((name) => name.endsWith('.html'))
    .map((name) => name.split(sep).join('/'))
    .sort();
}

async function write(folder: string, path: string, text: string): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

/**
 * Writes a redirect page for URLs that differ from a page's only in case. If the disk is case-insensitive, nothing is written and the
 * server has to redirect. Returns how many were written.
 */
async function writeSpellings(
  folder: string,
  spellings: readonly { from: string; to: string }[],
  site: Site,
): Promise<number> {
  let written = 0;
  for (const { from, to } of spellings) {
    const file = join(folder, from, 'index.html');
    if (await exists(file)) continue;
    await mkdir(join(folder, from), { recursive: true });
    await writeFile(file, redirectPage(absolute(to, site)));
    written += 1;
  }
  return written;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function redirectPage(url: string): string {
  const { pathname } = new URL(url);
  const address = escapeAttribute(pathname);
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Moved</title>',
    `<meta http-equiv="refresh" content="0; url=${address}"><link rel="canonical" href="${escapeAttribute(url)}"></head>`,
    `<body><p><a href="${address}">This page has moved.</a></p>`,
    `<script>location.replace(${JSON.stringify(pathname)} + location.search + location.hash)</script></body></html>\n`,
  ].join('');
}
