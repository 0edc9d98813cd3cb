import type { Row } from './engine.ts';
import type { IndexedPage, IndexedSection } from './index-file.ts';
import type { Nearness } from './phrases.ts';
import { splitWords, toTerm } from './terms.ts';

/** A section that was found. */
export interface Hit {
  id: number;
  /** The sum over the asked terms that it speaks of. */
  score: number;
  /** The terms of the index that were found in it. */
  terms: Set<string>;
  /** How far it speaks of each asked term, from 0 to 1. */
  shares: Map<string, number>;
}

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
  /** How near what was asked is to what pages call themselves. */
  nearness: Nearness;
}

/** How much an operation counts beside a page, so that 215 of them do not bury the pages that explain. */
const operationWeight = { plainWords: 0.25, asksForApi: 1, lookedFor: 3, named: 30 };
/** The same of the page of a resource, which lists them. */
const resourceWeight = 0.6;
/** What a page for members and admins counts beside those for developers, if the API is asked for. */
const besideApiWeight = 0.5;
const asksForApi = /\b(?:api|endpoint|operation|request|rest|http|curl)s?\b/i;
const looksLikeOperation = /[/{}]|^(?:GET|POST|PUT|PATCH|DELETE)\b|\p{Ll}\p{Lu}/u;
/** What the other sections of a page that were found add to its best one. */
const furtherSectionsWeight = 0.15;
/** What a page counts that speaks of nothing that was asked; one that speaks of all of it counts fully. */
const leastWeight = { page: 0.1, section: 0.5 };
/** Posts tell what was new once; the guides are kept up to date. */
const postWeight = 0.4;
/** Such a section says itself that it is for others than the readers of its page. */
const forOthers = /^For (?:operators|programmers)\b/;
const forOthersWeight = 0.6;
/** What each two words add that stand together both in the question and in the section. */
const pairWeight = 0.2;
/** What a page gains one of whose phrases is the question itself; one that is half of it gains an eighth. */
const phraseWeight = 12;
const phrasePower = 3;
/** Of pages that answer about as well, the one of the docs being read comes first. */
const hereWeight = 1.1;

/** Orders what the index found: each page once, best first. */
export function rank(hits: readonly Hit[], asked: Asked): Finding[] {
  return onePerPage(hits, asked).sort((one, other) => other.score - one.score);
}

interface Found {
  /** Of all that was found of the page, what readers ask included. */
  best: Hit;
  score: number;
  /** How far it speaks of each asked term, and how far its sections do. */
  shares: Map<string, number>;
  said: Map<string, number>;
  /** The best of its sections. */
  shown?: { section: IndexedSection; hit: Hit };
}

function onePerPage(hits: readonly Hit[], { rows, text, asked, here, nearness }: Asked): Finding[] {
  const weighed = hits
    .flatMap((hit) => {
      const row = rows[hit.id];
      return row === undefined
        ? []
        : [{ hit, row, score: hit.score * Math.sqrt(hit.shares.size) * sectionWeight(row.section) }];
    })
    .sort((one, other) => other.score - one.score);
  const found = new Map<IndexedPage, Found>();
  for (const { hit, row, score } of weighed) {
    const page: Found = found.get(row.page) ?? { best: hit, score: 0, shares: new Map(), said: new Map() };
    found.set(row.page, page);
    page.score += page.best === hit ? score : score * furtherSectionsWeight;
    raise(page.shares, hit.shares);
    if (row.section === undefined) continue;
    page.shown ??= { section: row.section, hit };
    raise(page.said, hit.shares);
  }
  const weights = rarityOf(asked, hits, rows.length);
  return [...found].flatMap(([page, { best, score, shares, said, shown }]) => {
    const section = shown?.section ?? page.sections[0];
    if (section === undefined) return [];
    const fit =
      growTo1(shareOf(asked, shares, weights), leastWeight.page) *
      growTo1(shareOf(asked, best.shares, weights), leastWeight.section);
    const weight = weightOf(page, text) * (page.tag === here ? hereWeight : 1);
    return {
      page,
      section,
      score:
        // How often words stand on a page says less than which of them do.
        Math.sqrt(score) *
        weight *
        fit *
        (1 + pairWeight * pairsIn(section, page, asked)) *
        (1 + phraseWeight * (nearness.get(page) ?? 0) ** phrasePower),
      terms: shown?.hit.terms ?? new Set<string>(),
      coverage: shown === undefined ? 0 : shareOf(asked, shown.hit.shares),
      pageCoverage: shareOf(asked, said),
    };
  });
}

/** Makes each share at least as large as another one. */
function raise(shares: Map<string, number>, others: ReadonlyMap<string, number>): void {
  for (const [term, share] of others) shares.set(term, Math.max(share, shares.get(term) ?? 0));
}

function sectionWeight({ heading = '' }: Pick<IndexedSection, 'heading'> = {}): number {
  return forOthers.test(heading) ? forOthersWeight : 1;
}

/** How many neighbours of the question are neighbours in a section, too: "manage roles" is more than both words somewhere. */
function pairsIn(section: IndexedSection, page: IndexedPage, asked: readonly string[]): number {
  if (asked.length < 2) return 0;
  const pairs = pairsOf(section, page);
  return asked.slice(1).filter((term, index) => pairs.has(`${asked[index]} ${term}`)).length;
}

const knownPairs = new WeakMap<IndexedSection, Set<string>>();

function pairsOf(section: IndexedSection, page: IndexedPage): Set<string> {
  const known = knownPairs.get(section);
  if (known !== undefined) return known;
  const pairs = new Set<string>();
  const { title, description = '', keywords = [] } = page;
  for (const text of [section.heading ?? [title, description, ...keywords].join('. '), section.text])
    for (const sentence of text.split(/[.!?;:](?:\s|$)/)) {
      const terms = splitWords(sentence)
        .map(toTerm)
        .filter((term) => term !== undefined);
      for (const [index, term] of terms.entries()) if (index > 0) pairs.add(`${terms[index - 1]} ${term}`);
    }
  knownPairs.set(section, pairs);
  return pairs;
}

/** From `least` at 0 to 1 at 1. */
function growTo1(share: number, least: number): number {
  return least + (1 - least) * share;
}

/** How much of what was asked is spoken of. Without weights each term counts alike. */
function shareOf(
  asked: readonly string[],
  shares: ReadonlyMap<string, number>,
  weights: ReadonlyMap<string, number> = new Map(),
): number {
  const weightOfTerm = (term: string) => weights.get(term) ?? 1;
  const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  return sumOf(asked.map((term) => (shares.get(term) ?? 0) * weightOfTerm(term))) / sumOf(asked.map(weightOfTerm));
}

/** A term that few sections have tells more about what somebody means than one that stands everywhere. */
function rarityOf(asked: readonly string[], hits: readonly Hit[], rowCount: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { shares } of hits) for (const term of shares.keys()) counts.set(term, (counts.get(term) ?? 0) + 1);
  return new Map(asked.map((term) => [term, Math.log(1 + rowCount / (1 + (counts.get(term) ?? 0)))]));
}

function weightOf({ kind, path, call, operationId }: IndexedPage, text: string): number {
  if (path.startsWith('/blog/')) return postWeight;
  if (kind !== 'operation') return asksForApi.test(text) && path.startsWith('/help-docs/') ? besideApiWeight : 1;
  if (!looksLikeOperation.test(text)) {
    if (asksForApi.test(text)) return operationWeight.asksForApi;
    return call === undefined ? resourceWeight : operationWeight.plainWords;
  }
  const names = [call, call?.slice(call.indexOf(' ') + 1), operationId];
  return names.includes(text.trim()) ? operationWeight.named : operationWeight.lookedFor;
}
