/**
 * A part of a page with its own heading. The first part of a page, before any heading, has neither heading nor anchor.
 */
export interface IndexedSection {
  heading?: string;
  anchor?: string;
  text: string;
}

/** A page, or one operation of the API, as the index file lists it. */
export interface IndexedPage {
  kind: 'page' | 'operation';
  /** The address within the site: from the root, without the base path. */
  path: string;
  title: string;
  /** What it is about in one sentence, which need not appear on the page itself. */
  description?: string;
  /** Synonyms that readers may search for: a few single words, never displayed. */
  keywords?: string[];
  /** The titles of its parents from the top of the site, without its own. */
  crumbs: string[];
  language: string;
  /** The docs instance and version it belongs to, `docs-<instance>-<version>`, or `default`. */
  tag: string;
  /** The method and path of an operation. */
  call?: string;
  operationId?: string;
  /** The names of its parameters and of those request and response fields that are not plain words. */
  fields?: string[];
  sections: IndexedSection[];
}

/** What the build writes for the embedded search. */
export interface IndexFile {
  pages: IndexedPage[];
}

/** Next to the pages, under a fixed name: browsers revalidate it on each use. */
export const indexFileName = 'search-index.json';

/** The tag of pages that belong to no docs instance. */
export const commonTag = 'default';

/** Longer queries are truncated. */
export const maxQueryLength = 300;
