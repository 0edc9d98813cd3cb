import type { IndexedPage } from './index-file.ts';
import { synonymsOf } from './synonyms.ts';
import { splitWords, termsOf } from './terms.ts';

/** How far a word is there whose synonym is. */
const synonymShare = 0.7;

const known = new WeakMap<IndexedPage, ReadonlySet<string>[]>();

/** What a page calls itself: its title, its keywords and its headings, each by its terms. */
function phrasesOf(page: IndexedPage): ReadonlySet<string>[] {
  const before = known.get(page);
  if (before !== undefined) return before;
  const { title, keywords = [], sections } = page;
  const phrases = [title, ...keywords, ...sections.flatMap(({ heading }) => heading ?? [])]
    .map((text) => new Set(termsOf(splitWords(text))))
    .filter(({ size }) => size > 0);
  known.set(page, phrases);
  return phrases;
}

/**
 * How near a question is to what a page calls itself, from 0 to 1: words that stand together in one phrase say more than the same
 * words in several. Rare words count for more.
 */
export function nearestPhrase(
  page: IndexedPage,
  asked: readonly string[],
  weights: ReadonlyMap<string, number>,
): number {
  const weightOf = (term: string) => weights.get(term) ?? 1;
  const whole = asked.reduce((sum, term) => sum + weightOf(term), 0);
  return phrasesOf(page).reduce((nearest, phrase) => {
    const shares = asked.map((term) => shareIn(phrase, term));
    const covered = asked.reduce((sum, term, index) => sum + weightOf(term) * (shares[index] ?? 0), 0) / whole;
    const used = Math.min(1, shares.reduce((sum, share) => sum + share, 0) / phrase.size);
    return covered === 0 ? nearest : Math.max(nearest, (2 * covered * used) / (covered + used));
  }, 0);
}

function shareIn(phrase: ReadonlySet<string>, term: string): number {
  if (phrase.has(term)) return 1;
  return synonymsOf(term).some((other) => phrase.has(other)) ? synonymShare : 0;
}
