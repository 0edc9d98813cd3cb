import { type Engine, type SearchContext, type SectionFinding, splitWords, toTerm } from '@latchkey/server/docs-search';
import { addressOf } from '../search/embedded.ts';
import { withSubject } from './follow-up.ts';

/** A section of the documentation that answers a question. */
export interface Passage {
  path: string;
  /** The page without the anchor. */
  page: string;
  title: string;
  /** Undefined for the beginning of a page. */
  heading: string | undefined;
  crumbs: string[];
  text: string;
  /** The terms to mark in the text. */
  terms: ReadonlySet<string>;
}

/** Where to look for what is not answered. */
export type Near = Pick<Passage, 'path' | 'title' | 'crumbs'>;

export type Answer =
  | { kind: 'known'; passages: Passage[] }
  /** `isNo` if the question asks whether something exists, and no page mentions it. */
  | { kind: 'unknown'; isNo: boolean; unmentioned: string[]; near: Near[] };

/** How much of a question a section has to cover to count as an answer. */
const leastCoverage = 0.45;
/** Passages that are much worse than the best one are not quoted. */
const leastShare = 0.4;
/** An entry of the changelog says that something changed, not how it works. It is listed among the search results. */
const isChangelog = /\/changelog\/?$/;
const passageCount = 3;
const nearCount = 3;

/** Questions that are answered with yes or no, and names alone, such as "Cardano?". */
const asksWhether =
  /^\s*(?:(?:and|but|so)\s+)?(?:am|are|can|could|do|does|has|have|is|may|will|would)\b|^\s*[\p{L}\d.-]+(?: [\p{L}\d.-]+)?\s*\?\s*$/iu;

/**
 * Quotes what the documentation says about a question. It never makes up a sentence: it quotes, or says that it does not know and lists
 * search results. A follow-up question is answered with the subject of the previous one.
 */
export function answer(engine: Engine, question: string, context: SearchContext, before?: string): Answer {
  const { sections, unknown } = engine.findSections(withSubject(question, before), context);
  const unmentioned = wordsOf(question, unknown);
  // A name that no page mentions is what the question is about.
  const isCovered = !unmentioned.some((word) => isName(question, word));
  const knowing = sections.filter(
    ({ page, section, coverage }) =>
      isCovered && section.text !== '' && coverage >= leastCoverage && !isChangelog.test(page.path),
  );
  const best = Math.max(...knowing.map(({ score }) => score));
  const passages = knowing.filter(({ score }) => score >= best * leastShare).slice(0, passageCount);
  if (passages.length > 0) return { kind: 'known', passages: passages.map(toPassage) };
  const isNo = unmentioned.length > 0 && asksWhether.test(question);
  return { kind: 'unknown', isNo, unmentioned, near: sections.slice(0, nearCount).map(toNear) };
}

/** Returns the words of a question with these terms, as they were written. */
function wordsOf(question: string, terms: ReadonlySet<string>): string[] {
  const words = splitWords(question).filter((word) => terms.has(toTerm(word) ?? ''));
  return [...new Set(words)];
}

/** Whether a word is written with a capital inside the question. */
function isName(question: string, word: string): boolean {
  return /^\p{Lu}/u.test(word) && !question.trimStart().startsWith(word);
}

function toNear({ page, section }: SectionFinding): Near {
  return {
    path: addressOf({ page, section }),
    title: section.heading ?? page.title,
    crumbs: section.heading === undefined ? page.crumbs : [...page.crumbs, page.title],
  };
}

function toPassage(finding: SectionFinding): Passage {
  const { page, section, terms } = finding;
  return { ...toNear(finding), page: page.path, heading: section.heading, text: section.text, terms };
}
