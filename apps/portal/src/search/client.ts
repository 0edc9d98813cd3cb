import type { SearchContext } from '@latchkey/server/docs-search';

/** A piece of a text, and whether it is one of the words asked for. */
export interface Segment {
  text: string;
  isMatch: boolean;
}

export interface SearchHit {
  kind: 'page' | 'operation';
  /** The address within the site, without the base path; or an absolute one elsewhere. */
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

/** Finds pages, headings and operations. Fails when what it asks cannot be reached; the next call tries again. */
export interface SearchClient {
  search(query: SearchQuery): Promise<SearchAnswer>;
  /** Fetches beforehand what the first search will need. Never fails. */
  warm(): Promise<void>;
}
