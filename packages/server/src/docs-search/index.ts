// The documentation search, which also runs in browsers: nothing here needs Node.js.
export {
  type Engine,
  type Finding,
  openEngine,
  type SearchContext,
  type SectionFinding,
  splitWords,
  termsOf,
  toTerm,
} from './engine.ts';
export { commonTag, type IndexedPage, type IndexedSection, type IndexFile, indexFileName } from './index-file.ts';
