// The search over the documentation, for browsers too: nothing here needs Node.js.
export { type Engine, openEngine, type SearchContext } from './engine.ts';
export { commonTag, type IndexedPage, type IndexedSection, type IndexFile, indexFileName } from './index-file.ts';
export type { Finding } from './rank.ts';
export { splitWords, termsOf, toTerm } from './terms.ts';
