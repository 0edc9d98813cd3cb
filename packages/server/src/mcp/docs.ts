import { AppError } from '@latchkey/kernel';
import {
  commonTag,
  type Engine,
  type IndexedPage,
  type IndexFile,
  indexFileName,
  openEngine,
} from '../docs-search/index.ts';

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

interface Loaded {
  engine: Engine;
  pages: ReadonlyMap<string, IndexedPage>;
  tags: string[];
  until: number;
}

/** Reads what the portal has for machines: its search index, and the Markdown beside each page. */
export function openDocs(portalUrl: string, clock: () => Date): Docs {
  const base = portalUrl.replace(/\/*$/, '');
  let loading: Promise<Loaded> | undefined;

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

  async function load(): Promise<Loaded> {
    const { pages } = JSON.parse(await fetchText(`/${indexFileName}`)) as IndexFile;
    // Operations have tools of their own, which know them better.
    const read = pages.filter(({ kind, tag }) => kind === 'page' && (tag === commonTag || tag.endsWith('-current')));
    return {
      engine: await openEngine({ pages: read }),
      pages: new Map(read.map((page) => [page.path, page])),
      tags: [...new Set(read.map(({ tag }) => tag))],
      until: clock().getTime() + keptMs,
    };
  }

  async function current(): Promise<Loaded> {
    const loaded = await loading?.catch(() => undefined);
    if (loaded !== undefined && loaded.until > clock().getTime()) return loaded;
    loading = load();
    return loading;
  }

  return {
    async search(query, limit) {
      const { engine, tags } = await current();
      return engine
        .find(query, { language: 'en', tags }, { isComplete: true })
        .slice(0, limit)
        .map(({ page, section }) => {
          const anchor = section.anchor === undefined ? '' : `#${section.anchor}`;
          const title = section.heading === undefined ? page.title : `${page.title}: ${section.heading}`;
          return {
            path: page.path,
            title,
            url: `${base}${page.path}${anchor}`,
            text: section.text.slice(0, quoteLength),
          };
        });
    },
    async read(path) {
      const { pages } = await current();
      const [wanted = ''] = path.split(/[?#]/);
      const page = pages.get(wanted) ?? pages.get(`${wanted}/`);
      if (page === undefined)
        throw new AppError('ENTITY_NOT_FOUND', 'Page not found. search_docs finds the paths of pages.');
      const file = page.path.replace(/\/$/, '');
      return fetchText(file === '' ? '/index.md' : `${file}.md`);
    },
  };
}
