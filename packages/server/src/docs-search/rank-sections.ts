// Ranks the sections of the documentation for a whole question, as Ask needs it. The search ranks pages for a few keywords.
import type { IndexedPage, IndexedSection } from './index-file.ts';
import { sameMeaning } from './same-meaning.ts';
import { readQuery, splitWords, termsOf, toTerm } from './terms.ts';

/** A section that was found for a whole question. */
export interface SectionFinding {
  page: IndexedPage;
  section: IndexedSection;
  score: number;
  /** The terms of the section that match. */
  terms: ReadonlySet<string>;
  /** The share of the question that the section and what names its page contain, from 0 to 1. Rare words count more. */
  coverage: number;
  /** Whether the section itself, and not only what names its page, contains one of the rarest words of the question. */
  hasRare: boolean;
}

export interface SectionFindings {
  /** Best first, at most a few of a page. */
  sections: SectionFinding[];
  /** The terms of the question that no page contains, nor another word for them. */
  unknown: ReadonlySet<string>;
  /** How many terms the question has. */
  asked: number;
  /** How much of the question a text contains. `isLiteral` leaves out words of the same meaning. */
  covers(text: string, isLiteral?: boolean): number;
  /** Whether a text contains the rarest word of the question itself. */
  hasRarest(text: string): boolean;
}

export interface Pages {
  isWanted(page: IndexedPage): boolean;
  weightOf(page: IndexedPage): number;
}

export type RankSections = (question: string, pages: Pages) => SectionFindings;

interface SectionTerms {
  page: IndexedPage;
  section: IndexedSection;
  heading: ReadonlySet<string>;
  /** How often each term occurs. */
  text: ReadonlyMap<string, number>;
  /** How many words the text has. */
  length: number;
}

interface PageTerms {
  fields: readonly { share: number; terms: ReadonlySet<string> }[];
  /** All terms of its sections. */
  text: Set<string>;
}

/** Set by trial with `apps/portal/search/ask-questions.json` and `ask-questions-2.json`. */
const tuning = {
  /** How much a match counts in each place, from 0 to 1. */
  heading: 0.76,
  text: 0.4,
  title: 0.55,
  keywords: 0.98,
  description: 0.68,
  crumbs: 0.2,
  elsewhere: 0.22,
  /** How much what names the page counts, beside the section. */
  ofPage: 0.5,
  /** How much a word of the same meaning counts. */
  sameMeaning: 0.64,
  /** A long text has every word: the share of what the length takes from a match. */
  byLength: 0.56,
  usualLength: 40,
  /** How much covering more of the question counts. */
  byCoverage: 0.6,
  /** More than 1 favours few strong matches over many weak ones. */
  power: 1.4,
  /** How much a word of conversation counts. */
  light: 0.44,
  perPage: 3,
  /** The beginning of a page introduces it. */
  introduction: 0.73,
};

/** Words of conversation, which say little about what is asked. */
const lightWords = new Set(
  termsOf(
    splitWords(
      `again already always anything ask back best bit call case come do does doing done else ends even ever every first go goes going
      good happen idea instead keep kind know like long look lot many may mean more most much must need never new nobody nothing now off
      ok only open other own part put really right same say see sort start still sure talk tell thing think today try type use very want
      way well went work world write wrong yet`,
    ),
  ),
);

/** Prepares the sections, and returns what ranks them. */
export function indexSections(
  rows: readonly { page: IndexedPage; section: IndexedSection }[],
  repeatedHeadings: ReadonlySet<string | undefined>,
): RankSections {
  const pages = new Map<IndexedPage, PageTerms>();
  const frequency = new Map<string, number>();
  const known = new Set<string>();
  let total = 0;
  const sections = rows.map(({ page, section }): SectionTerms => {
    const words = splitWords(section.text).map(toTerm);
    const text = new Map<string, number>();
    for (const term of words) if (term !== undefined) text.set(term, (text.get(term) ?? 0) + 1);
    const heading = new Set(repeatedHeadings.has(section.heading) ? [] : termsOf(splitWords(section.heading ?? '')));
    const named = pages.get(page) ?? namesOf(page);
    for (const term of [...text.keys(), ...heading]) named.text.add(term);
    pages.set(page, named);
    if (page.kind === 'page') {
      total += 1;
      for (const term of new Set([...text.keys(), ...heading])) frequency.set(term, (frequency.get(term) ?? 0) + 1);
    }
    return { page, section, heading, text, length: words.length };
  });
  for (const { fields, text } of pages.values())
    for (const terms of [text, ...fields.map((field) => field.terms)]) for (const term of terms) known.add(term);

  return (question, { isWanted, weightOf }) => {
    const asked = readQuery(question);
    const unknown = new Set(
      asked.filter((term) => [term, ...(sameMeaning.get(term) ?? [])].every((one) => !known.has(one))),
    );
    const meanings = asked
      .filter((term) => !unknown.has(term))
      .map((term) => {
        const words = [
          { term, share: 1 },
          ...(sameMeaning.get(term) ?? []).map((other) => ({ term: other, share: tuning.sameMeaning })),
        ];
        const spread = known.has(term)
          ? (frequency.get(term) ?? 1)
          : Math.max(...words.map((word) => frequency.get(word.term) ?? 1));
        const weight = lightWords.has(term) ? tuning.light : 1;
        return { term, words, rarity: weight * Math.log(1 + total / Math.max(1, spread)) };
      });
    const all = meanings.reduce((sum, { rarity }) => sum + rarity, 0) + unknown.size * Math.log(1 + total);
    const rare = meanings.toSorted((one, other) => other.rarity - one.rarity).slice(0, 2);
    const scored = sections.flatMap((row): SectionFinding[] => {
      if (!isWanted(row.page)) return [];
      const named = pages.get(row.page);
      if (named === undefined) return [];
      const terms = new Set<string>();
      let own = 0;
      let found = 0;
      let covered = 0;
      let hasRare = false;
      for (const meaning of meanings) {
        let best = 0;
        let bestOfPage = 0;
        for (const { term, share } of meaning.words) {
          const inSection = share * ownShare(row, term);
          if (inSection > 0) terms.add(term);
          best = Math.max(best, inSection);
          bestOfPage = Math.max(bestOfPage, share * pageShare(named, term));
        }
        found += meaning.rarity * (1 - (1 - best) * (1 - tuning.ofPage * bestOfPage)) ** tuning.power;
        own += best;
        covered += meaning.rarity * (best > 0 || bestOfPage > tuning.elsewhere ? 1 : 0);
        if (best > 0 && rare.includes(meaning)) hasRare = true;
      }
      if (own === 0) return [];
      const coverage = covered / all;
      const first = row.section.heading === undefined ? tuning.introduction : 1;
      const score = (found / all) * coverage ** tuning.byCoverage * weightOf(row.page) * first;
      return [{ page: row.page, section: row.section, score, terms, coverage, hasRare }];
    });
    const taken = new Map<IndexedPage, number>();
    const best = scored
      .toSorted((one, other) => other.score - one.score)
      .filter(({ page }) => {
        const count = taken.get(page) ?? 0;
        taken.set(page, count + 1);
        return count < tuning.perPage;
      });
    const covers = (text: string, isLiteral = false) => {
      const spoken = new Set(termsOf(splitWords(text)));
      const found = meanings.filter(({ words }) =>
        words.slice(0, isLiteral ? 1 : undefined).some(({ term }) => spoken.has(term)),
      );
      return found.reduce((sum, { rarity }) => sum + rarity, 0) / all;
    };
    const hasRarest = (text: string) => rare.slice(0, 1).every(({ term }) => termsOf(splitWords(text)).includes(term));
    return { sections: best, unknown, asked: asked.length, covers, hasRarest };
  };
}

function namesOf(page: IndexedPage): PageTerms {
  const terms = (text: string | undefined) => new Set(termsOf(splitWords(text ?? '')));
  return {
    fields: [
      { share: tuning.title, terms: terms(`${page.title} ${page.call ?? ''} ${page.operationId ?? ''}`) },
      { share: tuning.keywords, terms: terms(page.keywords?.join(' ')) },
      { share: tuning.description, terms: terms(page.description) },
      { share: tuning.crumbs, terms: terms(page.crumbs.join(' ')) },
    ],
    text: new Set(),
  };
}

function ownShare({ heading, text, length }: SectionTerms, term: string): number {
  const count = text.get(term) ?? 0;
  const long = 1 + tuning.byLength * Math.log(1 + length / tuning.usualLength);
  const inText = (tuning.text * (count / (count + 0.3))) / long;
  return 1 - (1 - (heading.has(term) ? tuning.heading : 0)) * (1 - inText);
}

function pageShare({ fields, text }: PageTerms, term: string): number {
  const share = Math.max(0, ...fields.map((field) => (field.terms.has(term) ? field.share : 0)));
  return Math.max(share, text.has(term) ? tuning.elsewhere : 0);
}
