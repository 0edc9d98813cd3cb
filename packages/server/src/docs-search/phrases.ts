import type { IndexedPage } from './index-file.ts';
import { synonymsOf } from './synonyms.ts';
import { splitWords, termsOf } from './terms.ts';

/** How far a word is there whose synonym is. */
const synonymShare = 0.7;

/** How near a question is to what each page calls itself, from 0 to 1; pages that are not in it are not near at all. */
export type Nearness = ReadonlyMap<IndexedPage, number>;

/**
 * Compares questions with what pages call themselves: their titles, keywords and headings, one at a time. Words that stand
 * together in one phrase say more than the same words in several. Rare words count for more.
 */
export function comparePhrases(
  pages: readonly IndexedPage[],
): (asked: readonly string[], weights: ReadonlyMap<string, number>) => Nearness {
  const phrases = pages.flatMap((page) => phrasesOf(page).map((terms) => ({ page, terms })));
  const withTerm = new Map<string, number[]>();
  for (const [place, { terms }] of phrases.entries())
    for (const term of terms) {
      const places = withTerm.get(term) ?? [];
      withTerm.set(term, places);
      places.push(place);
    }
  return (asked, weights) => {
    const weightOf = (term: string) => weights.get(term) ?? 1;
    const whole = asked.reduce((sum, term) => sum + weightOf(term), 0);
    const met = new Map<number, { covered: number; used: number }>();
    for (const term of asked)
      for (const [place, share] of sharesOf(term, withTerm)) {
        const before = met.get(place) ?? { covered: 0, used: 0 };
        met.set(place, { covered: before.covered + share * weightOf(term), used: before.used + share });
      }
    const nearest = new Map<IndexedPage, number>();
    for (const [place, sums] of met) {
      const phrase = phrases[place];
      if (phrase === undefined) continue;
      const covered = sums.covered / whole;
      const used = Math.min(1, sums.used / phrase.terms.length);
      const near = (2 * covered * used) / (covered + used);
      nearest.set(phrase.page, Math.max(near, nearest.get(phrase.page) ?? 0));
    }
    return nearest;
  };
}

function phrasesOf({ title, keywords = [], sections }: IndexedPage): string[][] {
  return [title, ...keywords, ...sections.flatMap(({ heading }) => heading ?? [])]
    .map((text) => termsOf(splitWords(text)))
    .filter(({ length }) => length > 0);
}

/** The phrases that a term stands in, and how far. */
function sharesOf(term: string, withTerm: ReadonlyMap<string, readonly number[]>): Map<number, number> {
  const shares = new Map<number, number>();
  for (const other of synonymsOf(term)) for (const place of withTerm.get(other) ?? []) shares.set(place, synonymShare);
  for (const place of withTerm.get(term) ?? []) shares.set(place, 1);
  return shares;
}
