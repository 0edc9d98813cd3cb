import MiniSearch from 'minisearch';
import { commonTag, type IndexedPage, type IndexedSection, type IndexFile, maxQueryLength } from './index-file.ts';
import { indexSections, type RankSections, type SectionFindings } from './rank-sections.ts';
import { readQuery, splitWords, toTerm } from './terms.ts';

/** What the reader is looking at: results from there rank first among equals, and other versions are excluded. */
export interface SearchContext {
  language: string;
  /** The docs instances and versions to search. */
  tags: readonly string[];
  /** The docs instance and version being read, if any. */
  here?: string;
}

/** A page that was found, with the best of its sections. */
export interface Finding {
  page: IndexedPage;
  section: IndexedSection;
  score: number;
  /** The matched terms of the index. */
  terms: ReadonlySet<string>;
  /** The share of the query that the section covers, from 0 to 1. */
  coverage: number;
  /** The share that the whole page covers. */
  pageCoverage: number;
}

export interface Engine {
  /** Returns the matching pages, best first, each once. A query that is still being typed may end within a word. */
  find(text: string, context: SearchContext, options?: { isComplete?: boolean }): Finding[];
  /** Returns the sections that may answer a question. */
  findSections(question: string, context: SearchContext): SectionFindings;
}

interface Row {
  id: number;
  page: IndexedPage;
  section: IndexedSection;
}

/** Longer words are only matched exactly: no typos and no prefixes. */
const maxWordLength = 32;

const fields: Record<string, { boost: number; read: (row: Row) => string | undefined }> = {
  title: { boost: 5, read: ({ page }) => page.title },
  keywords: { boost: 5, read: ({ page }) => page.keywords?.join(' ') },
  description: { boost: 3, read: ({ page }) => page.description },
  heading: { boost: 2.5, read: ({ section }) => section.heading },
  crumbs: { boost: 1.5, read: ({ page }) => page.crumbs.join(' ') },
  name: { boost: 3, read: ({ page }) => (page.call === undefined ? undefined : `${page.call} ${page.operationId}`) },
  fields: { boost: 0.5, read: ({ page }) => page.fields?.join(' ').toLowerCase() },
  text: { boost: 1, read: ({ section }) => section.text },
};
const boost = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.boost]));
/** Titles and headings are all short, so their relative length says little (b). */
const bm25 = { k: 1.5, b: 0.2, d: 0.7 };
/** The weight of a prefix match and of a match with a typo. */
const weights = { prefix: 0.2, fuzzy: 0.12 };
/** How much a word counts towards coverage if only a similar one was found. */
const typoShare = 0.1;
const repeatedOnPages = 5;
/**
 * Weights of pages relative to guides: posts and the changelog are old news, and 215 operations must not bury the pages that
 * explain them.
 */
const pageWeight = { post: 0.4, resource: 0.8, operation: 0.1, lookedFor: 3, named: 30, here: 1.1 };
const isNews = /^\/blog\/|\/changelog\/?$/;
/** A path, a leading HTTP method, or a name in camel case. */
const looksLikeOperation = /(?:^|\s)\/\w|[{}]|^(?:GET|POST|PUT|PATCH|DELETE)\b|(?<!\p{L})\p{Ll}{2,}\p{Lu}/u;

/** Builds the index of a file, in steps that yield to the event loop. */
export async function openEngine({ pages }: IndexFile): Promise<Engine> {
  const rows = pages.flatMap((page) => page.sections.map((section) => ({ page, section }))).map(withId);
  const known = new Set<string>();
  const repeated = repeatedHeadings(rows);
  const index = new MiniSearch<Row>({
    fields: Object.keys(fields),
    tokenize: splitWords,
    processTerm: rememberTerms(known),
    // The declared type covers only the fields, but the id is read the same way.
    extractField: (row, name) =>
      (name === 'id'
        ? row.id
        : name === 'heading' && repeated.has(row.section.heading)
          ? undefined
          : fields[name]?.read(row)) as string,
  });
  await index.addAllAsync(rows, { chunkSize: 100 });

  const search = (requested: readonly string[], text: string, context: SearchContext, isComplete: boolean) =>
    index.search(requested.join(' '), {
      boost,
      bm25,
      weights,
      tokenize: () => [...requested],
      processTerm: (term) => term,
      prefix: (term, at) => !isComplete && at === requested.length - 1 && term.length <= maxWordLength,
      // A word that occurs in the pages is not treated as a typo.
      fuzzy: (term) => (known.has(term) ? false : allowedTypos(term)),
      filter: ({ id }) => isWanted(rows[id]?.page, context),
      boostDocument: (id) => weightOf(rows[id]?.page, text.trim(), context.here),
    });
  let ranking: RankSections | undefined;
  return {
    find(text, context, { isComplete = false } = {}) {
      const requested = readQuery(text);
      const found = search(requested, text, context, isComplete);
      // A match with a typo may be another word.
      const coverageOf = (spokenOf: ReadonlySet<string>) =>
        [...spokenOf].reduce((sum, term) => sum + (known.has(term) ? 1 : typoShare), 0) / requested.length;
      const byPage = new Map<IndexedPage, Finding & { spokenOf: Set<string> }>();
      for (const { id, score, terms, queryTerms, match } of found) {
        const row = rows[id];
        if (row === undefined) continue;
        const { page } = row;
        const inTitle = Object.values(match).filter((matched) => matched.includes('title'));
        const isAboutPage = inTitle.length >= queryTerms.length;
        // A title that contains the whole query represents the page, not one of its sections.
        const section = (isAboutPage ? page.sections[0] : undefined) ?? row.section;
        const best = byPage.get(page);
        if (best === undefined) {
          const spokenOf = new Set(queryTerms);
          const coverage = coverageOf(spokenOf);
          byPage.set(page, { page, section, score, terms: new Set(terms), coverage, pageCoverage: coverage, spokenOf });
        } else {
          for (const term of queryTerms) best.spokenOf.add(term);
          best.pageCoverage = coverageOf(best.spokenOf);
        }
      }
      return [...byPage.values()].map(({ spokenOf: _, ...finding }) => finding);
    },

    findSections(question, context) {
      ranking ??= indexSections(rows, repeated);
      return ranking(question, {
        isWanted: (page) => isWanted(page, context),
        weightOf: (page) => weightOf(page, question.trim(), context.here),
      });
    },
  };
}

/** Headings such as "If it does not work" are on many pages, and say nothing about a section. */
function repeatedHeadings(rows: readonly Row[]): ReadonlySet<string | undefined> {
  const counts = new Map<string | undefined, number>();
  for (const { section } of rows) counts.set(section.heading, (counts.get(section.heading) ?? 0) + 1);
  return new Set([...counts].filter(([, count]) => count >= repeatedOnPages).map(([heading]) => heading));
}

/** All pages consist of the same few thousand words, so each is computed once while the index is built. */
function rememberTerms(known: Set<string>): (word: string) => string | undefined {
  const terms = new Map<string, string | undefined>();
  return (word) => {
    if (!terms.has(word)) terms.set(word, toTerm(word));
    const term = terms.get(word);
    if (term !== undefined) known.add(term);
    return term;
  };
}

function withId<T>(row: T, id: number): T & { id: number } {
  return { id, ...row };
}

/** Swapped letters count as two typos. */
function allowedTypos(term: string): number | false {
  if (term.length < 4 || term.length > maxWordLength || /\d/.test(term)) return false;
  return term.length > 5 ? 2 : 1;
}

function isWanted(page: IndexedPage | undefined, { language, tags }: SearchContext): boolean {
  return page !== undefined && page.language === language && (page.tag === commonTag || tags.includes(page.tag));
}

function weightOf(page: IndexedPage | undefined, text: string, here: string | undefined): number {
  if (page === undefined) return 0;
  if (page.kind === 'operation') return operationWeightOf(page, text);
  const weight = isNews.test(page.path) ? pageWeight.post : 1;
  return page.tag === here ? weight * pageWeight.here : weight;
}

function operationWeightOf({ call, operationId }: IndexedPage, text: string): number {
  if (looksLikeOperation.test(text.slice(0, maxQueryLength))) {
    const names = [call, call?.slice(call.indexOf(' ') + 1), operationId];
    return names.includes(text) ? pageWeight.named : pageWeight.lookedFor;
  }
  return call === undefined ? pageWeight.resource : pageWeight.operation;
}
