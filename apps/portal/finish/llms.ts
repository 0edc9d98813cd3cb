import versions from '../versions.json' with { type: 'json' };
import { absolute, markdownPath, type Page, type Site } from './page.ts';

/** A page and its Markdown. */
export interface PageWithMarkdown {
  page: Page;
  markdown: string;
}

/** Returns the table of contents for language models: what the site is, and the URL of each page as Markdown. */
export function writeLlms(pages: readonly Page[], site: Site): string {
  const home = pages.find(({ route }) => route === '/');
  const main = pages.filter((page) => isMain(page));
  const rest = pages.filter((page) => page.route !== '/' && !isMain(page));
  const parts = sections.map(({ title, path }) => ({
    title,
    pages: inReadingOrder(main.filter(({ route }) => sectionOf(route)?.path === path)),
  }));
  return [
    '# Latchkey documentation',
    `> ${home?.description ?? ''}`,
    `Every page of this site is also available as Markdown: its address, without a trailing slash, with \`.md\` added. All guides in one file: ${absolute('/llms-full.txt', site)}. The API as an OpenAPI description: ${absolute('/apis/openapi.json', site)}.`,
    ...[...parts, { title: 'Optional', pages: rest }]
      .filter((part) => part.pages.length > 0)
      .map((part) => `## ${part.title}\n\n${part.pages.map((page) => entry(page, site)).join('\n')}`),
  ]
    .join('\n\n')
    .concat('\n');
}

/** Returns all current guides as one text. */
export function writeLlmsFull(pages: readonly PageWithMarkdown[]): string {
  const markdown = new Map(pages.map(({ page, markdown }) => [page, markdown]));
  const guides = pages.map(({ page }) => page).filter(({ route }) => isMain({ route }));
  return sections
    .filter(({ isDocs }) => isDocs)
    .flatMap(({ path }) => inReadingOrder(guides.filter(({ route }) => sectionOf(route)?.path === path)))
    .map((page) => markdown.get(page))
    .join('\n---\n\n');
}

/** Lists of posts and older versions only repeat other pages. */
function isMain({ route }: Pick<Page, 'route'>): boolean {
  const isList = /^\/blog\/(?:tags|archive|authors|page)(?:\/|$)/.test(route);
  return sectionOf(route) !== undefined && !isOfOlderVersion(route) && !isList;
}

function entry({ title, description, route }: Page, site: Site): string {
  const link = `- [${title.replace(/[[\]\\]/g, '\\$&')}](${absolute(markdownPath(route), site)})`;
  return description === '' ? link : `${link}: ${description}`;
}

interface Section {
  title: string;
  /** The path of all its pages. */
  path: string;
  /** Whether its pages are documentation, and so belong into the file with all of it. */
  isDocs: boolean;
}

/** The parts of the site in the order of its navigation bar. */
const sections: readonly Section[] = [
  { title: 'Developers', path: '/docs', isDocs: true },
  { title: 'API reference', path: '/apis', isDocs: false },
  { title: 'Members and admins', path: '/help-docs', isDocs: true },
  { title: 'Operators', path: '/operators', isDocs: true },
  { title: 'DAO', path: '/dao', isDocs: true },
  { title: 'Telefrens', path: '/telefrens', isDocs: true },
  { title: 'Blog', path: '/blog', isDocs: false },
];

const isBelow = (route: string, path: string) => route === path || route.startsWith(`${path}/`);

function sectionOf(route: string): Section | undefined {
  return sections.find(({ path }) => isBelow(route, path));
}

/** Whether a page describes an older version. */
function isOfOlderVersion(route: string): boolean {
  return versions.some((version) => isBelow(route, `/docs/${version}`));
}

/** Returns pages in reading order: each is followed by the one that its footer links to as next. */
function inReadingOrder(pages: readonly Page[]): Page[] {
  const byRoute = new Map(pages.map((page) => [page.route, page]));
  const named = new Set(pages.map(({ next }) => next));
  const first = pages.filter(({ route }) => !named.has(route)).toSorted((a, b) => compare(a.route, b.route));
  const ordered = new Set<Page>();
  for (const start of [...first, ...pages])
    for (let page: Page | undefined = start; page !== undefined && !ordered.has(page); ) {
      ordered.add(page);
      page = page.next === undefined ? undefined : byRoute.get(page.next);
    }
  return [...ordered];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
