import { createThreadPool, openWorkerThread, ThreadEnded } from '@latchkey/core/worker-threads';
import { AppError } from '@latchkey/kernel';
import { type IndexedSection, maxQueryLength } from '../docs-search/index-file.ts';

/** Searches on one worker thread, so that no query can block the thread that answers requests. */
export interface SearchThread {
  /** Reads an index file, and replaces the previous one of that name. */
  open(name: string, file: string): Promise<SearchIndex>;
  close(): Promise<void>;
}

/** A page that the index lists. */
export interface DocsPage {
  path: string;
  title: string;
}

export interface SearchIndex {
  pages: readonly DocsPage[];
  /** Returns matching pages, best first. */
  search(query: string, limit: number): Promise<SearchHit[]>;
}

interface SearchHit {
  path: string;
  title: string;
  section: IndexedSection;
}

export type SearchRequest = { name: string; version: number } & (
  | { kind: 'load'; file: string }
  | { kind: 'search'; query: string; limit: number }
);

export type SearchResponse =
  | { kind: 'loaded'; pages: DocsPage[] }
  | { kind: 'found'; hits: SearchHit[] }
  /** A new thread has to read the index again. */
  | { kind: 'missing' }
  | { kind: 'failed' };

/** CPU time in milliseconds. A query takes a few, the index of the documentation a third of a second. */
const budgets = { load: 20_000, search: 1_000 };
const memoryMb = 128;
const maxWaiting = 100;

const failures: Readonly<Record<ThreadEnded['reason'], string>> = {
  budget: 'The search took too long. Try fewer words.',
  memory: 'The search took too much memory. Try fewer words.',
  failure: 'Search is unavailable at the moment. Try again later.',
  closed: 'Search is unavailable at the moment. Try again later.',
};

interface ThreadOptions {
  file?: URL;
  budgetMs?: (request: SearchRequest) => number;
}

/** Starts the thread on the first search. A thread that exceeds its budget is replaced. */
export function createSearchThread({
  file = new URL('./search-worker.ts', import.meta.url),
  budgetMs = ({ kind }) => budgets[kind],
}: ThreadOptions = {}): SearchThread {
  const pool = createThreadPool<SearchRequest, SearchResponse | ThreadEnded>({
    size: 1,
    maxWaiting,
    open: () => openWorkerThread({ file, memoryMb, budgetMs }),
    fail: (reason) => new ThreadEnded(reason),
  });
  let versions = 0;

  async function run(request: SearchRequest): Promise<SearchResponse> {
    if (!pool.hasRoom('')) throw new AppError('UNAVAILABLE', 'Too many searches are waiting. Try again in a moment.');
    const outcome = await pool.run('', request);
    if (outcome instanceof ThreadEnded) throw new AppError('UNAVAILABLE', failures[outcome.reason]);
    if (outcome.kind === 'failed') throw new AppError('UNAVAILABLE', failures.failure);
    return outcome;
  }

  return {
    open: async (name, file) => {
      versions += 1;
      const version = versions;
      const load = () => run({ kind: 'load', name, version, file });
      const opened = await load();
      let reloading: Promise<unknown> | undefined;
      return {
        pages: opened.kind === 'loaded' ? opened.pages : [],
        search: async (query, limit) => {
          const request = { kind: 'search', name, version, query: query.slice(0, maxQueryLength), limit } as const;
          let response = await run(request);
          if (response.kind === 'missing') {
            reloading ??= load().finally(() => {
              reloading = undefined;
            });
            await reloading;
            response = await run(request);
          }
          return response.kind === 'found' ? response.hits : [];
        },
      };
    },
    close: pool.close,
  };
}
