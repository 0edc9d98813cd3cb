import type { IndexedPage } from './index-file.ts';
import { questionWordsOf, splitWords, termsOf } from './terms.ts';

/** How far a word is there if another one is that may stand for it. */
const otherShare = 0.6;
/** What a word such as "why" or "not" counts; other words count by how few pages use them, which is levelled a little. */
const questionWordWeight = 2;
const rarityPower = 0.7;
/** What the next best phrases of a page add to the best one: all of the second, half of the third, and so on. */
const furtherWeight = 0.4;
const furtherCount = 3;

/** How near a question is to what each page calls itself: 1 is the same, pages that are not in it are not near at all. */
export type Nearness = ReadonlyMap<IndexedPage, number>;

/** Compares the terms of a question, each with the words that may stand for it, and how it asks, with all phrases. */
type Compare = (asked: ReadonlyMap<string, readonly string[]>, text: string) => Nearness;

interface Phrase {
  page: IndexedPage;
  terms: string[];
  /** What its terms weigh together. */
  weight: number;
}

/**
 * Compares questions with what pages call themselves, and with what readers ask who look for them: titles, headings, keywords and
 * questions, one at a time. Words that stand together in one phrase say more than the same words in several.
 */
export function comparePhrases(pages: readonly IndexedPage[]): Compare {
  const phrases: Phrase[] = pages.flatMap((page) => phrasesOf(page).map((terms) => ({ page, terms, weight: 0 })));
  const withTerm = new Map<string, Phrase[]>();
  for (const phrase of phrases)
    for (const term of phrase.terms) {
      const others = withTerm.get(term);
      if (others === undefined) withTerm.set(term, [phrase]);
      else others.push(phrase);
    }
  const weights = new Map([...withTerm].map(([term, found]) => [term, weightOf(term, found, pages.length)]));
  const weigh = (term: string) => weights.get(term) ?? weightOf(term, [], pages.length);
  for (const phrase of phrases) phrase.weight = sumOf(phrase.terms.map(weigh));

  return (terms, text) => {
    const asked = [...terms.keys(), ...questionWordsOf(text)];
    const whole = sumOf(asked.map(weigh));
    const met = new Map<Phrase, { covered: number; used: number }>();
    for (const term of asked)
      for (const [phrase, { share, word }] of sharesOf(term, terms.get(term) ?? [], withTerm)) {
        const before = met.get(phrase) ?? { covered: 0, used: 0 };
        met.set(phrase, {
          covered: before.covered + share * weigh(term),
          used: before.used + share * weigh(word),
        });
      }
    const nearest = new Map<IndexedPage, number[]>();
    for (const [phrase, sums] of met) {
      const covered = sums.covered / whole;
      const used = Math.min(1, sums.used / phrase.weight);
      nearest.set(phrase.page, [...(nearest.get(phrase.page) ?? []), (2 * covered * used) / (covered + used)]);
    }
    return new Map([...nearest].map(([page, found]) => [page, joined(found)]));
  };
}

/** The best, and a little of the next ones. */
function joined(found: readonly number[]): number {
  const [best = 0, ...others] = found.toSorted((one, other) => other - one).slice(0, 1 + furtherCount);
  return best + furtherWeight * sumOf(others.map((near, index) => near / (index + 1)));
}

function weightOf(term: string, found: readonly Phrase[], pageCount: number): number {
  if (term.startsWith('?')) return questionWordWeight;
  return Math.log(1 + pageCount / (1 + new Set(found.map(({ page }) => page)).size)) ** rarityPower;
}

/** What a page calls itself, each phrase once. */
function phrasesOf({ title, keywords = [], questions = [], sections }: IndexedPage): string[][] {
  const phrases = new Map<string, string[]>();
  for (const text of [title, ...keywords, ...questions, ...sections.flatMap(({ heading }) => heading ?? [])]) {
    const terms = termsOf(splitWords(text));
    const all = [...terms, ...questionWordsOf(text)];
    if (terms.length > 0) phrases.set(all.toSorted().join(' '), all);
  }
  return [...phrases.values()];
}

/** The phrases that a term stands in, how far, and as which word. */
function sharesOf(
  term: string,
  others: readonly string[],
  withTerm: ReadonlyMap<string, readonly Phrase[]>,
): Map<Phrase, { share: number; word: string }> {
  const shares = new Map<Phrase, { share: number; word: string }>();
  for (const word of others)
    for (const phrase of withTerm.get(word) ?? []) shares.set(phrase, { share: otherShare, word });
  for (const phrase of withTerm.get(term) ?? []) shares.set(phrase, { share: 1, word: term });
  return shares;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
