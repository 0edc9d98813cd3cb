import { spawnSync } from 'node:child_process';
import { portalFolder } from './folders.ts';

interface SitemapItem {
  url: string;
  lastmod?: string | null | undefined;
}

/** What a page without a file of its own is made from, by the start of its path. The first that fits counts. */
const sources: readonly (readonly [start: string, ...paths: string[]])[] = [
  ['/apis', '../../packages/server/openapi', '../../packages/server/examples'],
  ['/blog', 'blog'],
  ['/', '.'],
];

/** Returns the date of the last commit that changed any of these paths; undefined outside of a git clone. */
function lastCommitDate(paths: readonly string[]): string | undefined {
  const { stdout } = spawnSync('git', ['log', '-1', '--format=%cs', '--', ...paths], {
    cwd: portalFolder,
    encoding: 'utf8',
  });
  return /^\d{4}-\d\d-\d\d$/.exec((stdout ?? '').trim())?.[0];
}

/** Dates the pages that are made from several files: the reference, and lists of posts. */
export function datePages<Item extends SitemapItem>(items: readonly Item[], baseUrl: string): Item[] {
  const known = new Map<string, string | undefined>();
  const dateOf = (url: string) => {
    const path = `/${new URL(url).pathname.slice(baseUrl.length)}`;
    const [start, ...paths] = sources.find(([start]) => path.startsWith(start)) ?? ['/', '.'];
    if (!known.has(start)) known.set(start, lastCommitDate(paths));
    return known.get(start);
  };
  return items.map((item) => (item.lastmod ? item : { ...item, lastmod: dateOf(item.url) }));
}
