import MiniSearch from 'minisearch';
import { commonTag, type IndexedPage, type IndexedSection, type IndexFile, maxQueryLength } from './index-file.ts';

/** Where the reader is: of two answers as good as each other the one from there comes first, and other versions stay away. */
export interface SearchContext {
  language: string;
  /** Of which docs instances and versions answers may be. */
  tags: readonly string[];
  /** The docs instance and version being read, if any. */
  here?: string;
}

/** A page that was found, with the best of its sections. */
export interface Finding {
  page: IndexedPage;
  section: IndexedSection;
  score: number;
  /** The terms of the index that were found in the section. */
  terms: ReadonlySet<string>;
  /** How much of what was asked the section speaks of, from 0 to 1. */
  coverage: number;
  /** The same of the whole page. */
  pageCoverage: number;
}

export interface Engine {
  /** What answers a text, best first, each page once. A text that is being written may end within a word. */
  find(text: string, context: SearchContext, options?: { isComplete?: boolean }): Finding[];
}

interface Row {
  id: number;
  page: IndexedPage;
  section: IndexedSection;
}

const maxWords = 32;
/** Longer words are looked up as they are: without typos and continuations. */
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
/** Titles and headings are all short: that one is shorter than another says little (b). */
const bm25 = { k: 1.5, b: 0.2, d: 0.7 };
/** What a match is worth that only begins alike, or is a typo away. */
const weights = { prefix: 0.2, fuzzy: 0.12 };
/** How far a word counts as spoken of that only one like it is there for. */
const typoShare = 0.1;
/** What pages count beside the guides: posts tell what was new once, and 215 operations must not bury what explains them. */
const pageWeight = { post: 0.4, resource: 0.8, operation: 0.1, lookedFor: 3, named: 30, here: 1.1 };
/** A path, a method in front, or a name in camel case. */
const looksLikeOperation = /(?:^|\s)\/\w|[{}]|^(?:GET|POST|PUT|PATCH|DELETE)\b|(?<!\p{L})\p{Ll}{2,}\p{Lu}/u;

/** Makes the index of what the file lists, in steps that leave the page free to do other things. */
export async function openEngine({ pages }: IndexFile): Promise<Engine> {
  const rows = pages.flatMap((page) => page.sections.map((section) => ({ page, section }))).map(withId);
  const known = new Set<string>();
  const index = new MiniSearch<Row>({
    fields: Object.keys(fields),
    tokenize: splitWords,
    processTerm: rememberTerms(known),
    // The declared type is of fields alone, but the id is asked for in the same way.
    extractField: (row, name) => (name === 'id' ? row.id : fields[name]?.read(row)) as string,
  });
  await index.addAllAsync(rows, { chunkSize: 100 });

  return {
    find(text, context, { isComplete = false } = {}) {
      const asked = readQuery(text);
      const found = index.search(asked.join(' '), {
        boost,
        bm25,
        weights,
        tokenize: () => asked,
        processTerm: (term) => term,
        prefix: (term, at) => !isComplete && at === asked.length - 1 && term.length <= maxWordLength,
        // A word that the pages use is taken as meant.
        fuzzy: (term) => (known.has(term) ? false : allowedTypos(term)),
        filter: ({ id }) => isWanted(rows[id]?.page, context),
        boostDocument: (id) => weightOf(rows[id]?.page, text.trim(), context.here),
      });
      // What was found only in spite of a typo may be another word.
      const coverageOf = (spokenOf: ReadonlySet<string>) =>
        [...spokenOf].reduce((sum, term) => sum + (known.has(term) ? 1 : typoShare), 0) / asked.length;
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
  };
}

/** The terms that a text asks for, each once: no more and no longer ones than can be looked up quickly. */
export function readQuery(text: string): string[] {
  return termsOf(splitWords(text.slice(0, maxQueryLength)).slice(0, maxWords));
}

/** The same few thousand words make up all pages, so each is worked out once while the index is made. */
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

/** Two letters that changed places are two typos. */
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
  const weight = page.path.startsWith('/blog/') ? pageWeight.post : 1;
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

/** Words that are one in some texts and several in others, such as mini-app, are found by all their forms. */
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

/** What a word is compared by: its stem in small letters. Undefined for words that say nothing. */
export function toTerm(word: string): string | undefined {
  const plain = word.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
  return stopWords.has(plain) ? undefined : stem(irregular.get(plain) ?? plain);
}

/** Forms that no ending tells, after the word they belong to. */
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

/** Leaves one form of the most usual English ones, and of British and American spellings. */
function stem(word: string): string {
  if (/\d/.test(word)) return word;
  return endings.reduce((form, [ending, instead]) => form.replace(ending, instead), word);
}

/** The terms of words, each once, in order. */
export function termsOf(words: readonly string[]): string[] {
  return [...new Set(words.map(toTerm))].filter((term) => term !== undefined);
}
