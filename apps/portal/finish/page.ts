import { posix } from 'node:path';
import type { Site as BuiltSite } from '../config/site.ts';
import {
  attributeOf,
  classesOf,
  type Element,
  elementsOf,
  findElement,
  type Parent,
  readTree,
  textOf,
} from './tree.ts';

/** Where the site is hosted and the path it is served under. */
export type Site = Pick<BuiltSite, 'url' | 'baseUrl'>;

/** What a built HTML file is: a page to read, a technical page of the site, or a redirect. */
export type PageKind = 'page' | 'tool' | 'redirect';

export interface Page {
  /** The path of the file in the site's folder, with forward slashes. */
  file: string;
  html: string;
  tree: Parent;
  head: Element;
  kind: PageKind;
  /** Its path below the base path, without a trailing slash: `/docs/intro`, and `/` for the home page. */
  route: string;
  url: string;
  title: string;
  description: string;
  content: Element;
  /** The path of the next page, from its footer. */
  next: string | undefined;
}

const tools = new Set(['/404.html', '/search']);

/** Parses a built HTML file. */
export function readPage(file: string, html: string, site: Site): Page {
  const tree = readTree(html);
  const head = findElement(tree, ({ tagName }) => tagName === 'head');
  const body = findElement(tree, ({ tagName }) => tagName === 'body');
  if (head === undefined || body === undefined) throw new Error(`${file} is not a whole HTML document.`);
  const route = routeOf(file);
  const heads = elementsOf(head).toArray();
  const content = findElement(body, ({ tagName }) => tagName === 'main') ?? body;
  const isRedirect = heads.some((element) => attributeOf(element, 'http-equiv')?.toLowerCase() === 'refresh');
  const canonical = heads.find((element) => attributeOf(element, 'rel') === 'canonical');
  return {
    file,
    html,
    tree,
    head,
    route,
    kind: isRedirect ? 'redirect' : tools.has(route) ? 'tool' : 'page',
    url: (canonical && attributeOf(canonical, 'href')) ?? absolute(route, site),
    title: titleOf(head, content),
    description: descriptionOf(head),
    content,
    next: nextOf(content, site),
  };
}

/** Returns the URL of a path below the base path. */
export function absolute(path: string, { url, baseUrl }: Site): string {
  return new URL(posix.join('/', baseUrl, path), url).href;
}

/**
 * Returns the path of a page's Markdown: the page's path with `.md` in place of a trailing slash, if it has one. So `/docs/intro` has
 * `/docs/intro.md`, `/docs/tutorials/` has `/docs/tutorials.md`, and the home page `/index.md`.
 */
export function markdownPath(route: string): string {
  const path = route.replace(/\/$/, '');
  return path === '' ? '/index.md' : `${path}.md`;
}

function descriptionOf(head: Parent): string {
  const tag = findElement(head, (element) => attributeOf(element, 'name') === 'description');
  return (tag && attributeOf(tag, 'content')) ?? '';
}

function routeOf(file: string): string {
  return `/${file}`.replace(/(?:\/index)?\.html$/, (end) => (file === '404.html' ? end : '')) || '/';
}

/** Returns the heading of the page, or its title without the name of the site. */
function titleOf(head: Parent, content: Parent): string {
  const heading = findElement(content, ({ tagName }) => tagName === 'h1');
  if (heading !== undefined) return tidy(textOf(heading));
  const title = findElement(head, ({ tagName }) => tagName === 'title');
  return tidy((title === undefined ? '' : textOf(title)).split(' | ')[0] ?? '');
}

function tidy(text: string): string {
  return text.replaceAll('\u200b', '').replace(/\s+/g, ' ').trim();
}

function nextOf(content: Parent, { baseUrl }: Site): string | undefined {
  const link = findElement(content, (element) => classesOf(element).includes('pagination-nav__link--next'));
  const address = link && attributeOf(link, 'href');
  return address?.startsWith(baseUrl) ? `/${address.slice(baseUrl.length)}`.replace(/(.)\/$/, '$1') : undefined;
}
