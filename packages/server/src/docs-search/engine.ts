import MiniSearch from 'minisearch';
import { commonTag, type IndexedPage, type IndexedSection, type IndexFile } from './index-file.ts';
import { comparePhrases } from './phrases.ts';
import { type Finding, type Hit, rank } from './rank.ts';
import { hasSynonyms, synonymsOf } from './synonyms.ts';
import { splitQuestion, splitWords, termsOf, toTerm } from './terms.ts';

/** Where the reader is: of two answers as good as each other the one from there comes first, and other versions stay away. */
export interface SearchContext {
  language: string;
  /** Of which docs instances and versions answers may be. */
  tags: readonly string[];
  /** The docs instance and version being read, if any. */
  here?: string;
}

export interface Row {
  id: number;
  page: IndexedPage;
  /** Undefined for what readers ask, which stands on no page. */
  section?: IndexedSection;
}

type SectionRow = Row & { section: IndexedSection };

/** The title counts fully for the beginning of a page, and little for its sections, which have headings. */
const sectionFields: Record<string, (row: SectionRow) => string | undefined> = {
  title: ({ page, section }) => (section.heading === undefined ? page.title : undefined),
  pageTitle: ({ page, section }) => (section.heading === undefined ? undefined : page.title),
  name: ({ page }) => (page.call === undefined ? undefined : `${page.call} ${page.operationId}`),
  description: ({ page, section }) => (section.heading === undefined ? page.description : undefined),
  keywords: ({ page, section }) => (section.heading === undefined ? page.keywords?.join('. ') : undefined),
  heading: ({ section }) => section.heading,
  crumbs: ({ page }) => page.crumbs.join(' '),
  fields: ({ page }) => page.fields?.map((name) => name.toLowerCase()).join(' '),
  text: ({ section }) => section.text,
};
const boost = {
  questions: 2,
  title: 5,
  pageTitle: 2,
  name: 2,
  heading: 2.5,
  description: 3,
  keywords: 5,
  crumbs: 1,
  fields: 0.5,
  text: 1,
};
/** Titles and headings are all short: that one is shorter than another says little (b). */
const bm25 = { k: 1.2, b: 0.2, d: 0.5 };
/** What a match is worth that only begins alike, is a typo away, or is a word that stands for the one asked. */
const weights = { prefix: 0.4, fuzzy: 0.3 };
const synonymWeight = 0.4;
/** How far a word counts as spoken of if it is there only so. */
const share = { near: 0.7, synonym: 0.5 };

export interface Engine {
  /** What answers a text, best first, each page once. A text that is being written may end within a word. */
  find(text: string, context: SearchContext, options?: { isComplete?: boolean }): Finding[];
}

/** Makes the index of what the file lists, in steps that leave the page free to do other things. */
export async function openEngine({ pages }: IndexFile): Promise<Engine> {
  const rows = pages.flatMap(rowsOf).map((row, id) => ({ id, ...row }));
  const known = new Set<string>();
  const index = new MiniSearch<Row>({
    fields: Object.keys(boost),
    tokenize: splitWords,
    processTerm(word) {
      const term = toTerm(word);
      if (term !== undefined) known.add(term);
      return term;
    },
    // The declared type is of fields alone, but the id is asked for in the same way.
    extractField: (row, name) => (name === 'id' ? row.id : readField(row, name)) as string,
    searchOptions: {
      boost,
      weights,
      bm25,
      tokenize: (term) => [term],
      processTerm: (term) => term,
      // A word that the pages use is taken as meant.
      fuzzy: (term) => (known.has(term) ? false : allowedTypos(term)),
    },
  });
  await index.addAllAsync(rows, { chunkSize: 100 });
  const compare = comparePhrases(pages);

  /**
   * Adds to the hits what one asked term finds, and returns the words that may stand for it. A section counts by the best of them.
   */
  function look(term: string, mayContinue: boolean, context: SearchContext, hits: Map<number, Hit>): string[] {
    const best = new Map<number, { score: number; share: number; terms: string[] }>();
    const take = (word: string, options: { prefix: boolean }, weight: number, shareOf: (found: string) => number) => {
      const filter = ({ id }: { id: number }) => isWanted(rows[id]?.page, context);
      for (const { id, score, terms } of index.search(word, { ...options, filter })) {
        const before = best.get(id);
        const spoken = Math.max(...terms.map(shareOf));
        best.set(id, {
          score: Math.max(score * weight, before?.score ?? 0),
          share: Math.max(spoken, before?.share ?? 0),
          terms: [...(before?.terms ?? []), ...terms],
        });
      }
    };
    take(term, { prefix: mayContinue }, 1, (found) => (found === term ? 1 : share.near));
    // What is no word of the pages was mistyped, or is not written to its end.
    const alike = known.has(term) ? [] : [...best.values()].flatMap(({ terms }) => terms);
    const synonyms = synonymsOf(term).filter((other) => known.has(other));
    for (const other of synonyms) take(other, { prefix: false }, synonymWeight, () => share.synonym);
    for (const [id, { score, share: spoken, terms }] of best) {
      const hit = hits.get(id) ?? { id, score: 0, terms: new Set(), shares: new Map() };
      hits.set(id, hit);
      hit.score += score;
      hit.shares.set(term, spoken);
      for (const found of terms) hit.terms.add(found);
    }
    return [...new Set([...synonyms, ...alike])];
  }

  return {
    find(text, context, { isComplete = false } = {}) {
      const isKnown = (term: string) => known.has(term) || hasSynonyms(term);
      const written = termsOf(splitQuestion(text, (term) => known.has(term), hasSynonyms));
      const asked = [...new Set(written.map((term) => (isKnown(term) ? term : unswap(term, isKnown))))];
      const hits = new Map<number, Hit>();
      const others = new Map(
        asked.map((term) => {
          const mayContinue = !isComplete && (term === asked.at(-1) || !known.has(term));
          return [term, look(term, mayContinue, context, hits)];
        }),
      );
      const nearness = compare(others, text);
      return rank([...hits.values()], { rows, text, asked, here: context.here, nearness });
    },
  };
}

function rowsOf(page: IndexedPage): Omit<Row, 'id'>[] {
  const sections = page.sections.map((section) => ({ page, section }));
  return page.questions === undefined ? sections : [...sections, { page }];
}

function readField({ section, ...row }: Row, name: string): string | undefined {
  if (section === undefined) return name === 'questions' ? row.page.questions?.join('. ') : undefined;
  return sectionFields[name]?.({ ...row, section });
}

function allowedTypos(term: string): number | false {
  if (term.length < 4 || /\d/.test(term)) return false;
  return term.length > 7 ? 2 : 1;
}

/** The known word that a term is if two neighbouring letters change places, which is how people mistype most. */
function unswap(term: string, isKnown: (term: string) => boolean): string {
  const swaps = [...term.slice(1)].map((_, index) => {
    const [one = '', other = ''] = term.slice(index, index + 2);
    return term.slice(0, index) + other + one + term.slice(index + 2);
  });
  return swaps.find(isKnown) ?? term;
}

function isWanted(page: IndexedPage | undefined, { language, tags }: SearchContext): boolean {
  return page !== undefined && page.language === language && (page.tag === commonTag || tags.includes(page.tag));
}
