// The documentation search, which also runs in browsers: nothing here needs Node.js.
export { type Engine, type Finding, openEngine, type SearchContext } from './engine.ts';
export { commonTag, type IndexedPage, type IndexedSection, type IndexFile, indexFileName } from './index-file.ts';
export type { SectionFinding } from './rank-sections.ts';
export { splitWords, termsOf, toTerm } from './terms.ts';
