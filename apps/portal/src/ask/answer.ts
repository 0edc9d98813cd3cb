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
  /** `denial` is the sentence that says no, if the question is to be answered with yes or no and one of the passages has such a sentence. */
  | { kind: 'known'; passages: Passage[]; denial: string | undefined }
  /** `isNo` if the question asks whether something exists, and no page mentions it. */
  | { kind: 'unknown'; isNo: boolean; unmentioned: string[]; near: Near[] };

/** How much of a question a section has to cover to count as an answer. */
const leastCoverage = 0.4;
/** With a word that no page has, the rest of the question has to be covered better. */
const leastWithUnknown = 0.47;
/** Without one of the rarest words of the question in the section itself, it has to cover more. */
const leastWithoutRare = 0.5;
/** Of a question with more words that no page has, the rest says little. */
const mostUnknown = 0.34;
/** How much of a question a negative sentence has to contain to deny it, and in how many of the best sections it is looked for. */
const leastOfDenial = 0.48;
const longestDenial = 160;
const deniedAmong = 12;
/** Passages that are much worse than the best one are not quoted. */
const leastShare = 0.5;
/** An entry of the changelog says that something changed, not how it works. It is listed among the search results. */
const isChangelog = /\/changelog\/?$/;
const passageCount = 3;
const nearCount = 3;

/** Questions that are answered with yes or no, and names alone, such as "Cardano?". */
const asksWhether =
  /^\s*(?:(?:and|but|so)\s+)?(?:am|are|can|could|do|does|has|have|is|may|will|would)\b|^\s*[\p{L}\d.-]+(?: [\p{L}\d.-]+)?\s*\?\s*$/iu;

/** What exists is mentioned by its own name. */
const asksForExistence = /^\s*(?:(?:is|are) there|do(?:es)? \S+(?: \S+)? have)\b/i;
const isNegative = /\b(?:no|not|never|none|nothing|neither|nor|cannot)\b|n[’']t\b/i;
const isAboutCase = /^(?:after|as|if|for|until|when|while|with|without)\b/i;
/** Names have no article, and no word that says whose or how many. */
const notBeforeNames =
  /^(?:an?|the|my|our|your|his|her|its|their|this|that|these|those|any|some|no|every|each|another|other|one|two|more|very|so|too)$/i;

/**
 * Quotes what the documentation says about a question. It never makes up a sentence: it quotes, or says that it does not know and lists
 * search results. A follow-up question is answered with the subject of the previous one.
 */
export function answer(engine: Engine, question: string, context: SearchContext, before?: string): Answer {
  const { sections, unknown, asked, covers, hasRarest } = engine.findSections(withSubject(question, before), context);
  const unmentioned = wordsOf(question, unknown);
  // A name that no page mentions is what the question is about.
  const isCovered = unknown.size <= asked * mostUnknown && !unmentioned.some((word) => isName(question, word));
  const candidates = sections.filter(({ page, section }) => section.text !== '' && !isChangelog.test(page.path));
  const denying =
    isCovered && asksWhether.test(question) ? findDenial(candidates.slice(0, deniedAmong), covers) : undefined;
  if (denying !== undefined) {
    const rest = candidates.filter((one) => one !== denying.finding && one.coverage >= leastCoverage);
    const passages = [denying.finding, ...rest].slice(0, passageCount).map(toPassage);
    return { kind: 'known', passages, denial: denying.sentence };
  }
  const knowing = candidates.filter(
    ({ section, coverage, hasRare }) =>
      isCovered &&
      coverage >= (!hasRare ? leastWithoutRare : unknown.size > 0 ? leastWithUnknown : leastCoverage) &&
      (!asksForExistence.test(question) || hasRarest(`${section.heading} ${section.text}`)),
  );
  const best = candidates[0]?.score ?? 0;
  const passages = knowing.filter(({ score }) => score >= best * leastShare).slice(0, passageCount);
  if (passages.length > 0) return { kind: 'known', passages: passages.map(toPassage), denial: undefined };
  const isNo = unmentioned.length > 0 && asksWhether.test(question);
  return { kind: 'unknown', isNo, unmentioned, near: sections.slice(0, nearCount).map(toNear) };
}

/** The best section with a short negative sentence that has most words of the question. Sentences about a case do not count. */
function findDenial(sections: readonly SectionFinding[], covers: (text: string, isLiteral: boolean) => number) {
  for (const finding of sections)
    for (const sentence of finding.section.text.split(/(?<=[.!?])\s+/)) {
      if (sentence.length > longestDenial || !isNegative.test(sentence) || isAboutCase.test(sentence)) continue;
      if (covers(sentence, true) >= leastOfDenial) return { finding, sentence };
    }
  return undefined;
}

/** Returns the words of a question with these terms, as they were written. */
function wordsOf(question: string, terms: ReadonlySet<string>): string[] {
  const words = splitWords(question).filter((word) => terms.has(toTerm(word) ?? ''));
  return [...new Set(words)];
}

/** Whether a word is written with a capital inside the question, or stands in a yes-or-no question like a name: without an article. */
function isName(question: string, word: string): boolean {
  if (question.trimStart().startsWith(word)) return false;
  if (/^\p{Lu}/u.test(word)) return true;
  const before = /(\p{L}+)\s+$/u.exec(question.slice(0, question.indexOf(word)))?.[1] ?? '';
  return asksWhether.test(question) && !notBeforeNames.test(before) && !/(?:ed|ing|ly)$/.test(word);
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
