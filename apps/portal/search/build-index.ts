import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commonTag, type IndexedPage, type IndexedSection, type IndexFile } from '@latchkey/server/docs-search';
import type { WebhookEvent } from '../reference/webhook-events.ts';
import { type DescribedApi, readOperations } from './read-operations.ts';

/** The names of the site's parts in its menu, by the first segment of their paths. */
const partLabels: Record<string, string> = {
  docs: 'Developers',
  'help-docs': 'Members & Admins',
  operators: 'Operators',
  dao: 'DAO',
  blog: 'Blog',
  telefrens: 'Telefrens',
};

/** Lists whose entries are indexed themselves, and pages without a subject. The reference is read from its description. */
const leftOut =
  /^\/(?:search|404\.html|markdown-page|apis(?:\/.*)?|(?:.*\/)?tags(?:\/.*)?|blog\/(?:archive|authors|page)(?:\/.*)?)\/?$/;

export interface BuiltSite {
  outDir: string;
  baseUrl: string;
  /** The paths of all pages, with the base path. */
  routes: readonly string[];
  api: DescribedApi;
  events: readonly WebhookEvent[];
}

/** Builds the index of a site whose pages have been built. */
export async function buildIndex({ outDir, baseUrl, routes, api, events }: BuiltSite): Promise<IndexFile> {
  const paths = routes.map((route) => `/${route.slice(baseUrl.length)}`).filter((path) => !leftOut.test(path));
  const pages = await Promise.all([...new Set(paths)].map((path) => readRoute(outDir, path)));
  return { pages: [...pages.filter((page) => page !== undefined), ...readOperations(api, events)] };
}

async function readRoute(outDir: string, path: string): Promise<IndexedPage | undefined> {
  const html = await readBuilt(outDir, path);
  if (html === undefined) return undefined;
  const page = readPage(html, path);
  const label = partLabels[path.split('/')[1] ?? ''];
  if (page === undefined || label === undefined) return page;
  // Pages of an older version say so, because they have the same titles as the current ones.
  const version = /^docs-.+-(?!current$)([^-]+)$/.exec(page.tag)?.[1];
  return { ...page, crumbs: [version === undefined ? label : `${label} ${version}`, ...page.crumbs] };
}

async function readBuilt(outDir: string, path: string): Promise<string | undefined> {
  const file = join(outDir, path, 'index.html');
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** Elements that are not content of the page. Their closing tags are never omitted, so their end can be found. */
const passedOver = new Set(
  'nav footer aside figure svg button pre template noscript select form script style'.split(' '),
);
const passedOverClass =
  /(?:^|[\s_-])(?:toc|tocCollapsible|hash-link|pagination-nav|theme-doc-version-badge|theme-doc-footer|avatar)(?:$|[\s_-])/;
const inline = new Set('a abbr b code em i kbd mark small span strong sub sup time wbr'.split(' '));
const empty = new Set('area base br col hr img input link meta source track wbr'.split(' '));

interface Reading {
  title: string;
  tag: string;
  language: string;
  description: string;
  keywords: string[];
  crumbs: string[];
  sections: IndexedSection[];
}

type Target = 'title' | 'heading' | 'text';

/** Parses the content of a built page, split at its headings of the second and third level. Undefined if it has no title. */
export function readPage(html: string, path: string): IndexedPage | undefined {
  const read = new PageReader();
  for (const piece of readHtml(html)) read.take(piece);
  const { title, tag, language, description, keywords, sections, crumbs } = read.finish();
  if (title === '') return undefined;
  return {
    kind: 'page',
    path,
    title,
    ...(description === '' ? {} : { description }),
    ...(keywords.length === 0 ? {} : { keywords }),
    // The last crumb of a page is the page itself.
    crumbs: crumbs.slice(0, -1),
    language,
    tag,
    sections: sections.filter(({ heading }) => heading !== ''),
  };
}

class PageReader {
  private readonly reading: Reading = {
    title: '',
    tag: commonTag,
    language: 'en',
    description: '',
    keywords: [],
    crumbs: [],
    sections: [{ text: '' }],
  };
  private isInMain = false;
  private target: Target = 'text';
  private skipping: { name: string; depth: number } | undefined;
  private isInCrumbs = false;

  take(piece: HtmlPiece): void {
    if (this.isInCrumbs) this.takeCrumb(piece);
    else if (this.skipping !== undefined) this.skip(piece, this.skipping);
    else if (piece.kind === 'open') this.open(piece.name, piece.attributes);
    else if (piece.kind === 'close') this.close(piece.name);
    else if (this.isInMain) this.write(piece.text);
  }

  finish(): Reading {
    const { sections, title, crumbs, ...rest } = this.reading;
    return {
      ...rest,
      title: tidy(title),
      crumbs: crumbs.map(tidy).filter((crumb) => crumb !== ''),
      sections: sections.map(({ heading, text, ...section }) => ({
        ...(heading === undefined ? {} : { heading: tidy(heading) }),
        ...section,
        text: tidy(text),
      })),
    };
  }

  private open(name: string, attributes: ReadonlyMap<string, string>): void {
    if (name === 'meta') this.readMeta(attributes);
    if (name === 'main') this.isInMain = true;
    if (!this.isInMain) return;
    const classes = attributes.get('class') ?? '';
    if (name === 'nav' && classes.includes('breadcrumbs')) this.isInCrumbs = true;
    else if (isPassedOver(name, classes, attributes)) this.skipping = { name, depth: 1 };
    else if (name === 'h1') this.target = 'title';
    else if ((name === 'h2' || name === 'h3') && attributes.has('id')) {
      this.reading.sections.push({ heading: '', anchor: attributes.get('id') ?? '', text: '' });
      this.target = 'heading';
    } else if (!inline.has(name)) this.write(' ');
  }

  private close(name: string): void {
    if (name === 'main') this.isInMain = false;
    if (name === 'h1' || name === 'h2' || name === 'h3') this.target = 'text';
    else if (!inline.has(name) && this.isInMain) this.write(' ');
  }

  private skip(piece: HtmlPiece, skipping: { name: string; depth: number }): void {
    if (piece.kind === 'text' || piece.name !== skipping.name) return;
    skipping.depth += piece.kind === 'open' ? 1 : -1;
    if (skipping.depth === 0) this.skipping = undefined;
  }

  private takeCrumb(piece: HtmlPiece): void {
    if (piece.kind === 'open' && piece.name === 'li') this.reading.crumbs.push('');
    else if (piece.kind === 'close' && piece.name === 'nav') this.isInCrumbs = false;
    else if (piece.kind === 'text') this.reading.crumbs.push((this.reading.crumbs.pop() ?? '') + piece.text);
  }

  private write(text: string): void {
    if (this.target === 'title') {
      this.reading.title += text;
      return;
    }
    const section = this.reading.sections.at(-1);
    if (section === undefined) return;
    if (this.target === 'heading') section.heading = (section.heading ?? '') + text;
    else section.text += text;
  }

  private readMeta(attributes: ReadonlyMap<string, string>): void {
    const content = attributes.get('content') ?? '';
    if (attributes.get('name') === 'docusaurus_tag') this.reading.tag = content;
    if (attributes.get('name') === 'docusaurus_locale') this.reading.language = content;
    if (attributes.get('name') === 'description') this.reading.description = content;
    if (attributes.get('name') === 'keywords') this.reading.keywords = content.split(',').map(tidy);
  }
}

function isPassedOver(name: string, classes: string, attributes: ReadonlyMap<string, string>): boolean {
  if (empty.has(name)) return false;
  if (attributes.get('aria-hidden') === 'true' || attributes.get('role') === 'tablist') return true;
  // A tab that is not shown first is hidden, but still part of the page.
  if (attributes.has('hidden') && attributes.get('role') !== 'tabpanel') return true;
  return passedOver.has(name) || passedOverClass.test(classes);
}

function tidy(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** One token of an HTML document: an opening tag, a closing tag, or text. */
type HtmlPiece =
  | { kind: 'open'; name: string; attributes: ReadonlyMap<string, string> }
  | { kind: 'close'; name: string }
  | { kind: 'text'; text: string };

const piece = /<!--[\s\S]*?-->|<!doctype[^>]*>|<(\/?)([a-z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^"'>])*)>|([^<]+|<)/gi;
const attribute = /([^\s=/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+)))?/g;
const rawText = new Set(['script', 'style']);

/**
 * Tokenizes HTML as the site's own build writes it: minified, with optional closing tags and quotes omitted. The contents of scripts and
 * styles are skipped.
 */
function* readHtml(html: string): Generator<HtmlPiece> {
  piece.lastIndex = 0;
  let position = 0;
  while (position < html.length) {
    piece.lastIndex = position;
    const match = piece.exec(html);
    if (match === null) return;
    position = piece.lastIndex;
    const [, slash, rawName, rawAttributes = '', text] = match;
    if (text !== undefined) yield { kind: 'text', text: decode(text) };
    if (rawName === undefined) continue;
    const name = rawName.toLowerCase();
    if (slash === '/') yield { kind: 'close', name };
    else yield { kind: 'open', name, attributes: readAttributes(rawAttributes) };
    if (slash !== '/' && rawText.has(name)) position = endOfRawText(html, name, position);
  }
}

function endOfRawText(html: string, name: string, from: number): number {
  const end = html.indexOf(`</${name}`, from);
  return end < 0 ? html.length : end;
}

function readAttributes(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name, double, single, bare] of text.matchAll(attribute))
    if (name !== undefined) attributes.set(name.toLowerCase(), decode(double ?? single ?? bare ?? ''));
  return attributes;
}

const named: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ZeroWidthSpace: '',
};

function decode(text: string): string {
  return text
    .replace(/&(?:#x([\da-f]+)|#(\d+)|([a-z]+));/gi, (whole, hex, decimal, name) => {
      if (name !== undefined) return named[name] ?? whole;
      return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
    })
    .replace(/[\u200b\ufeff]/g, '');
}
