import MiniSearch, { type SearchResult } from 'minisearch';
import { commonTag, type IndexedPage, type IndexedSection, type IndexFile, maxQueryLength } from './index-file.ts';

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

/** A section that was found for a whole question. */
export interface SectionFinding extends Pick<Finding, 'page' | 'section' | 'score' | 'terms'> {
  /** The share of the question that the section and what names its page contain, from 0 to 1. Rare words count more. */
  coverage: number;
}

export interface SectionFindings {
  /** Best first, at most two of a page. */
  sections: SectionFinding[];
  /** The terms of the question that no page contains. */
  unknown: ReadonlySet<string>;
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

const maxWords = 32;
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
const maxSectionsOfPage = 2;
/**
 * What a title, a description and keywords say is the same for all sections of a page, so it ranks pages; within a page, the words of
 * the section itself rank. A section counts at least this share of its page.
 */
const sectionBoost = { heading: 5, text: 1 };
const leastShareOfPage = 0.3;
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
  /** Returns the same sections, ranked within their page by their own words. */
  const rankWithinPages = (found: readonly SearchResult[], requested: readonly string[]): SearchResult[] => {
    const own = new Map<unknown, number>(
      index
        .search(requested.join(' '), {
          fields: Object.keys(sectionBoost),
          boost: sectionBoost,
          bm25: { ...bm25, b: 0.4 },
          weights,
          tokenize: () => [...requested],
          processTerm: (term) => term,
          fuzzy: (term) => (known.has(term) ? false : allowedTypos(term)),
        })
        .map(({ id, score }) => [id, score]),
    );
    const bestOf = (read: (result: SearchResult) => number) => {
      const best = new Map<IndexedPage | undefined, number>();
      for (const result of found) {
        const page = rows[result.id]?.page;
        best.set(page, Math.max(best.get(page) ?? 0, read(result)));
      }
      return (result: SearchResult) => best.get(rows[result.id]?.page) ?? 0;
    };
    const bestOwn = bestOf(({ id }) => own.get(id) ?? 0);
    const bestScore = bestOf(({ score }) => score);
    return found
      .map((result) => {
        const share = (own.get(result.id) ?? 0) / (bestOwn(result) || 1);
        return { ...result, score: bestScore(result) * (leastShareOfPage + (1 - leastShareOfPage) * share) };
      })
      .toSorted((one, other) => other.score - one.score);
  };
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
      const requested = readQuery(question);
      const found = rankWithinPages(search(requested, question, context, true), requested);
      const spread = new Map(requested.map((term) => [term, 0]));
      for (const { queryTerms } of found)
        for (const term of queryTerms) spread.set(term, (spread.get(term) ?? 0) + (known.has(term) ? 1 : 0));
      const rarity = (term: string) => Math.log(1 + rows.length / Math.max(1, spread.get(term) ?? 0));
      const total = requested.reduce((sum, term) => sum + rarity(term), 0);
      const taken = new Map<IndexedPage, number>();
      const sections = found.flatMap(({ id, score, terms, queryTerms }): SectionFinding[] => {
        const row = rows[id];
        const count = row === undefined ? maxSectionsOfPage : (taken.get(row.page) ?? 0);
        if (row === undefined || count >= maxSectionsOfPage) return [];
        taken.set(row.page, count + 1);
        const covered = queryTerms.reduce((sum, term) => sum + rarity(term) * (known.has(term) ? 1 : typoShare), 0);
        return [{ page: row.page, section: row.section, score, terms: new Set(terms), coverage: covered / total }];
      });
      return { sections, unknown: new Set(requested.filter((term) => !known.has(term))) };
    },
  };
}

/** Headings such as "If it does not work" are on many pages, and say nothing about a section. */
function repeatedHeadings(rows: readonly Row[]): ReadonlySet<string | undefined> {
  const counts = new Map<string | undefined, number>();
  for (const { section } of rows) counts.set(section.heading, (counts.get(section.heading) ?? 0) + 1);
  return new Set([...counts].filter(([, count]) => count >= repeatedOnPages).map(([heading]) => heading));
}

/** Returns the distinct terms of a query, limited in number and length to what can be searched quickly. */
export function readQuery(text: string): string[] {
  return termsOf(splitWords(text.slice(0, maxQueryLength)).slice(0, maxWords));
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

const stopWords = new Set(
  `a about after all also am an and any anybody anyone are as at be been but by came can come could did do does everybody
  everyone for from get gets got had has have how i if in into is it its just let me my no not of off on once one or our
  out over people please shall should so some somebody someone still such than that the their them then there these they
  this those to too up us use uses using was we were what when where which while who why will with without would you
  your`.split(/\s+/),
);

/** Compound words such as mini-app, which are also written as one or two words, are found in all their forms. */
export function splitWords(text: string): string[] {
  return (text.match(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu) ?? []).flatMap(spellings);
}

function spellings(word: string): string[] {
  if (word.includes('-')) {
    const parts = word.split('-');
    return parts.length === 2 ? [...parts, parts.join('')] : parts;
  }
  const parts = word.match(/[\p{Lu}\p{N}]*[\p{Ll}\p{N}]+|[\p{Lu}\p{N}]+/gu) ?? [];
  return parts.length > 1 && /\p{Ll}\p{Lu}/u.test(word) ? [word, ...parts] : [word];
}

/** Normalizes a word to its stem in lower case. Undefined for stop words. */
export function toTerm(word: string): string | undefined {
  const plain = word.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
  return stopWords.has(plain) ? undefined : stem(irregular.get(plain) ?? plain);
}

/** Irregular forms, after their base form. */
const irregular = new Map(
  `break broke broken; bring brought; buy bought; choose chose chosen; forget forgot forgotten; give gave given; hold held;
  keep kept; lose lost; make made; pay paid; run ran; sell sold; send sent; steal stole stolen; take took taken; write wrote
  written`
    .split(';')
    .flatMap((line) => {
      const [word = '', ...forms] = line.trim().split(/\s+/);
      return forms.map((form): [string, string] => [form, word]);
    }),
);

const endings: [RegExp, string][] = [
  [/(?<=..)(?:ies|ied)$/, 'y'],
  [/(?<=sh|ch|ss|x|z)es$/, ''],
  [/(?<=...)(?<![su])s$/, ''],
  [/(?<=..)ification$/, 'ify'],
  [/i[sz]ation$/, 'iz'],
  [/(?<=...)i[sz](?:e[dr]?|ing)$/, 'iz'],
  [/(?<=....)at(?:ion|e|ed|ing)$/, ''],
  [/(?<=...)ation$/, 'at'],
  [/(?<=....[st])ion$/, ''],
  [/(?<=....)ment$/, ''],
  [/(?<=.....)(?:[ae]nce|ent)$/, ''],
  [/(?<=...)(?:ing|ed)$/, ''],
  [/(?<=..)([bdgmnprt])\1$/, '$1'],
  [/(?<=....)ly$/, ''],
  [/(?<=...)e$/, ''],
];

/** Reduces the most common English inflections, and British and American spellings, to one form. */
function stem(word: string): string {
  if (/\d/.test(word)) return word;
  return endings.reduce((form, [ending, instead]) => form.replace(ending, instead), word);
}

/** Returns the distinct terms of words, in order. */
export function termsOf(words: readonly string[]): string[] {
  return [...new Set(words.map(toTerm))].filter((term) => term !== undefined);
}
