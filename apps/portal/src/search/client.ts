import type { SearchContext } from '@latchkey/server/docs-search';

/** A piece of a text, and whether it matches the query. */
export interface Segment {
  text: string;
  isMatch: boolean;
}

export interface SearchHit {
  kind: 'page' | 'operation';
  /** The path within the site, without the base path; or an absolute URL elsewhere. */
  path: string;
  title: Segment[];
  crumbs: string[];
  snippet: Segment[];
  /** The method and path of an operation. */
  call?: string;
}

export interface SearchQuery {
  text: string;
  context: SearchContext;
  offset: number;
  limit: number;
}

export interface SearchAnswer {
  hits: SearchHit[];
  total: number;
}

/** Finds pages, headings and operations. Fails if its source cannot be reached; the next call retries. */
export interface SearchClient {
  search(query: SearchQuery): Promise<SearchAnswer>;
  /** Prefetches what the first search will need. Never fails. */
  warm(): Promise<void>;
}
