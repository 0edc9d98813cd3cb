import { AppError } from '@latchkey/kernel';
import { indexFileName } from '../docs-search/index-file.ts';
import { fetchTo } from '../egress/index.ts';
import type { SearchIndex, SearchThread } from './search-thread.ts';

const patienceMs = 10_000;
const keptMs = 10 * 60_000;
const quoteLength = 500;

export interface FoundPage {
  path: string;
  title: string;
  url: string;
  text: string;
}

/** The documentation, as the portal publishes it. */
export interface Docs {
  search(query: string, limit: number): Promise<FoundPage[]>;
  /** A page as Markdown. Only pages that the portal lists can be read. */
  read(path: string): Promise<string>;
}

/** Reads what the portal has for machines: its search index, and the Markdown beside each page. */
export function openDocs(portalUrl: string, clock: () => Date, searchThread: SearchThread): Docs {
  const base = portalUrl.replace(/\/*$/, '');
  const fetch = fetchTo([portalUrl]);
  let opened: { index: SearchIndex; until: number } | undefined;
  let opening: Promise<SearchIndex> | undefined;

  async function fetchText(path: string): Promise<string> {
    const response = await fetch(`${base}${path}`, {
      signal: AbortSignal.timeout(patienceMs),
      redirect: 'error',
    }).catch((cause: unknown) => {
      throw new AppError('UNAVAILABLE', 'The documentation cannot be reached at the moment.', { cause });
    });
    if (!response.ok)
      throw new AppError(
        'UNAVAILABLE',
        `The documentation answered with status ${response.status}. It may still be building.`,
      );
    return response.text();
  }

  async function open(): Promise<SearchIndex> {
    const index = await searchThread.open('docs', await fetchText(`/${indexFileName}`));
    opened = { index, until: clock().getTime() + keptMs };
    return index;
  }

  async function currentIndex(): Promise<SearchIndex> {
    if (opened !== undefined && opened.until > clock().getTime()) return opened.index;
    opening ??= open().finally(() => {
      opening = undefined;
    });
    return opening;
  }

  return {
    async search(query, limit) {
      const index = await currentIndex();
      const hits = await index.search(query, limit);
      return hits.map(({ path, title, section: { heading, anchor, text } }) => ({
        path,
        title: heading === undefined ? title : `${title}: ${heading}`,
        url: `${base}${path}${anchor === undefined ? '' : `#${anchor}`}`,
        text: text.slice(0, quoteLength),
      }));
    },
    async read(path) {
      const { paths } = await currentIndex();
      const [wanted = ''] = path.split(/[?#]/);
      const page = [wanted, `${wanted}/`].find((candidate) => paths.has(candidate));
      if (page === undefined)
        throw new AppError('ENTITY_NOT_FOUND', 'Page not found. search_docs finds the paths of pages.');
      const file = page.replace(/\/$/, '');
      return fetchText(file === '' ? '/index.md' : `${file}.md`);
    },
  };
}
