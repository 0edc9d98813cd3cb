import MiniSearch from 'minisearch';
import { commonTag, type IndexedPage, type IndexedSection, type IndexFile } from './index-file.ts';
import { type Finding, rank } from './rank.ts';
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
  section: IndexedSection;
}

/** The title counts fully for the beginning of a page, and little for its sections, which have headings. */
const fields: Record<string, (row: Row) => string | undefined> = {
  title: ({ page, section }) => (section.heading === undefined ? page.title : undefined),
  pageTitle: ({ page, section }) => (section.heading === undefined ? undefined : page.title),
  name: ({ page }) => (page.call === undefined ? undefined : `${page.call} ${page.operationId}`),
  description: ({ page, section }) => (section.heading === undefined ? page.description : undefined),
  heading: ({ section }) => section.heading,
  crumbs: ({ page }) => page.crumbs.join(' '),
  text: ({ section }) => section.text,
};
const boost = { title: 5, pageTitle: 2, name: 2, heading: 3, description: 2, crumbs: 0.5, text: 1 };
/** What a match is worth that only begins alike, or is a typo away. */
const weights = { prefix: 0.4, fuzzy: 0.3 };

export interface Engine {
  /** What answers a text, best first, each page once. A text that is being written may end within a word. */
  find(text: string, context: SearchContext, options?: { isComplete?: boolean }): Finding[];
}

/** Makes the index of what the file lists, in steps that leave the page free to do other things. */
export async function openEngine({ pages }: IndexFile): Promise<Engine> {
  const rows = pages
    .flatMap((page) => page.sections.map((section) => ({ page, section })))
    .map((row, id) => ({ id, ...row }));
  const known = new Set<string>();
  const index = new MiniSearch<Row>({
    fields: Object.keys(fields),
    tokenize: splitWords,
    processTerm(word) {
      const term = toTerm(word);
      if (term !== undefined) known.add(term);
      return term;
    },
    // The declared type is of fields alone, but the id is asked for in the same way.
    extractField: (row, name) => (name === 'id' ? row.id : fields[name]?.(row)) as string,
    searchOptions: {
      boost,
      weights,
      processTerm: toTerm,
      // A word that the pages use is taken as meant.
      fuzzy: (term) => (known.has(term) ? false : allowedTypos(term)),
    },
  });
  await index.addAllAsync(rows, { chunkSize: 100 });

  return {
    find(text, context, { isComplete = false } = {}) {
      const asked = termsOf(splitQuestion(text, (term) => known.has(term)));
      if (asked.length === 0) return [];
      const results = index.search(text, {
        tokenize: (question) => splitQuestion(question, (term) => known.has(term)),
        filter: ({ id }) => isWanted(rows[id]?.page, context),
        prefix: (term, position, terms) => !isComplete && (position === terms.length - 1 || !known.has(term)),
      });
      return rank(results, { rows, text, asked, here: context.here });
    },
  };
}

function allowedTypos(term: string): number | false {
  if (term.length < 4 || /\d/.test(term)) return false;
  return term.length > 7 ? 2 : 1;
}

function isWanted(page: IndexedPage | undefined, { language, tags }: SearchContext): boolean {
  return page !== undefined && page.language === language && (page.tag === commonTag || tags.includes(page.tag));
}
