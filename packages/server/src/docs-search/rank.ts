import type { SearchResult } from 'minisearch';
import type { Row } from './engine.ts';
import type { IndexedPage, IndexedSection } from './index-file.ts';

/** A page that answers, by the best of its sections. */
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

export interface Asked {
  rows: readonly Row[];
  text: string;
  asked: readonly string[];
  here: string | undefined;
}

/** How much an operation counts beside a page, so that 215 of them do not bury the pages that explain. */
const operationWeight = { plainWords: 0.25, lookedFor: 3, named: 30 };
const looksLikeOperation = /[/{}]|\b(?:GET|POST|PUT|PATCH|DELETE)\b|\p{Ll}\p{Lu}/u;
/** What the other sections of a page that were found add to its best one. */
const furtherSectionsWeight = 0.1;
/** How far a word counts as spoken of if it is there only with other letters. */
const typoShare = 0.7;
/** What a page counts that speaks of nothing that was asked; one that speaks of all of it counts fully. */
const leastWeight = { page: 0.05, section: 0.5 };
/** Posts tell what was new once; the guides are kept up to date. */
const postWeight = 0.4;
/** Of pages that answer about as well, the one of the docs being read comes first. */
const hereWeight = 1.1;

/** Orders what the index found: each page once, best first. */
export function rank(results: readonly SearchResult[], asked: Asked): Finding[] {
  return onePerPage(results, asked).sort((one, other) => other.score - one.score);
}

function onePerPage(results: readonly SearchResult[], { rows, text, asked, here }: Asked): Finding[] {
  const found = new Map<IndexedPage, { best: SearchResult; row: Row; score: number; spoken: Set<string> }>();
  for (const result of results) {
    const row = rows[result.id];
    if (row === undefined) continue;
    const before = found.get(row.page);
    if (before === undefined) found.set(row.page, { best: result, row, score: result.score, spoken: spokenOf(result) });
    else {
      before.score += result.score * furtherSectionsWeight;
      for (const term of spokenOf(result)) before.spoken.add(term);
    }
  }
  const weights = rarityOf(asked, results, rows.length);
  return [...found.values()].map(({ best, row: { page, section }, score, spoken }) => {
    const inSection = spokenOf(best);
    const fit =
      growTo1(shareOf(asked, spoken, weights), leastWeight.page) *
      growTo1(shareOf(asked, inSection, weights), leastWeight.section);
    const weight = weightOf(page, text) * (page.tag === here ? hereWeight : 1);
    return {
      page,
      section,
      score: score * weight * fit,
      terms: new Set(best.terms),
      coverage: shareOf(asked, inSection),
      pageCoverage: shareOf(asked, spoken),
    };
  });
}

/** From `least` at 0 to 1 at 1. */
function growTo1(share: number, least: number): number {
  return least + (1 - least) * share;
}

/** The terms that were found and, after a tilde, those they were found for. */
function spokenOf({ terms, queryTerms }: SearchResult): Set<string> {
  return new Set([...terms, ...queryTerms.map((term) => `~${term}`)]);
}

/** How much of what was asked is spoken of. Without weights each term counts alike. */
function shareOf(
  asked: readonly string[],
  spoken: ReadonlySet<string>,
  weights: ReadonlyMap<string, number> = new Map(),
): number {
  const weightOfTerm = (term: string) => weights.get(term) ?? 1;
  const share = (term: string) => (spoken.has(term) ? 1 : spoken.has(`~${term}`) ? typoShare : 0);
  const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  return sumOf(asked.map((term) => share(term) * weightOfTerm(term))) / sumOf(asked.map(weightOfTerm));
}

/** A term that few sections have tells more about what somebody means than one that stands everywhere. */
function rarityOf(asked: readonly string[], results: readonly SearchResult[], rowCount: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { queryTerms } of results) for (const term of queryTerms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return new Map(asked.map((term) => [term, Math.log(1 + rowCount / (1 + (counts.get(term) ?? 0)))]));
}

function weightOf({ kind, path, call, operationId }: IndexedPage, text: string): number {
  if (kind !== 'operation') return path.startsWith('/blog/') ? postWeight : 1;
  if (!looksLikeOperation.test(text)) return operationWeight.plainWords;
  const names = [call, call?.slice(call.indexOf(' ') + 1), operationId];
  return names.includes(text.trim()) ? operationWeight.named : operationWeight.lookedFor;
}
