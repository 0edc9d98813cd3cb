import versions from '../versions.json' with { type: 'json' };
import type { Page } from './page.ts';

export interface Section {
  title: string;
  /** The path all its pages are under. */
  path: string;
  /** Whether its pages are documentation, and so belong into one file with all of it. */
  isDocs: boolean;
}

/** The parts of the site in the order in which its bar names them. */
export const sections: readonly Section[] = [
  { title: 'Developers', path: '/docs', isDocs: true },
  { title: 'API reference', path: '/apis', isDocs: false },
  { title: 'Members and admins', path: '/help-docs', isDocs: true },
  { title: 'Operators', path: '/operators', isDocs: true },
  { title: 'DAO', path: '/dao', isDocs: true },
  { title: 'Telefrens', path: '/telefrens', isDocs: true },
  { title: 'Blog', path: '/blog', isDocs: false },
];

const isBelow = (route: string, path: string) => route === path || route.startsWith(`${path}/`);

export function sectionOf(route: string): Section | undefined {
  return sections.find(({ path }) => isBelow(route, path));
}

/** Whether a page describes an older version. */
export function isOfOlderVersion(route: string): boolean {
  return versions.some((version) => isBelow(route, `/docs/${version}`));
}

/** Pages in reading order: each is followed by the one its foot names as the next. */
export function inReadingOrder(pages: readonly Page[]): Page[] {
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
