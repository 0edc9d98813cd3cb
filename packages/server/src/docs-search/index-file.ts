/** A part of a page with a heading of its own; the first part of a page, before any heading, has neither heading nor anchor. */
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
  /** What it is about in a sentence, which need not be on the page itself. */
  description?: string;
  /** What readers call it who do not know its words: a few single words, which nobody sees. */
  keywords?: string[];
  /** The way to it from the top of the site, without itself. */
  crumbs: string[];
  language: string;
  /** The docs instance and version it belongs to, `docs-<instance>-<version>`, or `default`. */
  tag: string;
  /** The method and path of an operation. */
  call?: string;
  operationId?: string;
  /** The names of its parameters and of the request and response fields that are not plain words. */
  fields?: string[];
  sections: IndexedSection[];
}

/** What the build writes for the embedded search. */
export interface IndexFile {
  pages: IndexedPage[];
}

/** Beside the pages and under a fixed name: browsers ask each time whether theirs is the current one. */
export const indexFileName = 'search-index.json';

/** The tag of what belongs to no docs instance. */
export const commonTag = 'default';

/** Longer queries are cut. */
export const maxQueryLength = 300;
