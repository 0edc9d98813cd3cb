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
  /** Whether it belongs to the docs being read, and was put first for that. */
  isHere: boolean;
}

export interface Asked {
  rows: readonly Row[];
  text: string;
  asked: readonly string[];
  here: string | undefined;
}

/** How much an operation counts beside a page, so that 215 of them do not bury the pages that explain. */
const operationWeight = { plainWords: 0.3, lookedFor: 3, named: 30 };
const looksLikeOperation = /[/{}]|\b(?:GET|POST|PUT|PATCH|DELETE)\b|\p{Ll}\p{Lu}/u;
/** What the other sections of a page that were found add to its best one. */
const furtherSectionsWeight = 0.1;
/** How far a word counts as spoken of if it is there only with other letters. */
const typoShare = 0.7;
/** From this share of the best score on, what belongs to the docs being read comes first in any case. */
const strongShare = 0.3;
/** So many pages of the docs being read come first if they speak of all that was asked, however little. */
const firstCount = 5;

/** Orders what the index found: each page once, and before all others those of the docs being read. */
export function rank(results: readonly SearchResult[], asked: Asked): Finding[] {
  const findings = onePerPage(results, asked).sort((one, other) => other.score - one.score);
  if (asked.here === undefined || looksLikeOperation.test(asked.text)) return findings;
  const enough = (findings[0]?.score ?? 0) * strongShare;
  const ofHere = findings.filter(
    ({ page, score, coverage }) => page.tag === asked.here && (score >= enough || coverage >= typoShare),
  );
  const first = new Set(ofHere.filter(({ score }, place) => score >= enough || place < firstCount));
  return [
    ...[...first].map((finding) => ({ ...finding, isHere: true })),
    ...findings.filter((finding) => !first.has(finding)),
  ];
}

function onePerPage(results: readonly SearchResult[], { rows, text, asked }: Asked): Finding[] {
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
  return [...found.values()].map(({ best, row: { page, section }, score, spoken }) => ({
    page,
    section,
    score: score * weightOf(page, text),
    terms: new Set(best.terms),
    coverage: shareOf(asked, spokenOf(best)),
    pageCoverage: shareOf(asked, spoken),
    isHere: false,
  }));
}

/** The terms that were found and, after a tilde, those they were found for. */
function spokenOf({ terms, queryTerms }: SearchResult): Set<string> {
  return new Set([...terms, ...queryTerms.map((term) => `~${term}`)]);
}

function shareOf(asked: readonly string[], spoken: ReadonlySet<string>): number {
  const shares = asked.map((term) => (spoken.has(term) ? 1 : spoken.has(`~${term}`) ? typoShare : 0));
  return shares.reduce((sum: number, share) => sum + share, 0) / asked.length;
}

function weightOf({ kind, call, operationId }: IndexedPage, text: string): number {
  if (kind !== 'operation') return 1;
  if (!looksLikeOperation.test(text)) return operationWeight.plainWords;
  const names = [call, call?.slice(call.indexOf(' ') + 1), operationId];
  return names.includes(text.trim()) ? operationWeight.named : operationWeight.lookedFor;
}
