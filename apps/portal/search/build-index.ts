import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IndexedPage, IndexFile } from '@latchkey/server/docs-search';
import type { WebhookEvent } from '../reference/webhook-events.ts';
import { type DescribedApi, readOperations } from './read-operations.ts';
import { readPage } from './read-page.ts';

/** What the parts of the site are called in its menu, by the first segment of their addresses. */
const partLabels: Record<string, string> = {
  docs: 'Developers',
  'help-docs': 'Members & Admins',
  operators: 'Operators',
  dao: 'DAO',
  blog: 'Blog',
  telefrens: 'Telefrens',
};

/** Lists of what is found by itself, and pages that are about no subject. The reference is read from its description. */
const leftOut =
  /^\/(?:search|404\.html|markdown-page|apis(?:\/.*)?|(?:.*\/)?tags(?:\/.*)?|blog\/(?:archive|authors|page)(?:\/.*)?)\/?$/;

export interface BuiltSite {
  outDir: string;
  baseUrl: string;
  /** The addresses of all pages, with the base path. */
  routes: readonly string[];
  api: DescribedApi;
  events: readonly WebhookEvent[];
}

/** The index of a site whose pages have been built. */
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
  // Pages of an older version say so, for they are called the same as those of the current one.
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
