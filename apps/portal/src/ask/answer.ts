import type { Engine, Finding, SearchContext } from '@latchkey/server/docs-search';
import type { Segment } from '../search/client.ts';
import { addressOf } from '../search/embedded.ts';
import { takeSnippet } from '../search/highlight.ts';
import { withSubject } from './follow-up.ts';

/** A quote from the documentation, and where it is. */
export interface Passage {
  path: string;
  /** The page without the anchor. */
  page: string;
  title: string;
  /** Undefined for the beginning of a page. */
  heading: string | undefined;
  crumbs: string[];
  quote: Segment[];
}

/** Where to look for what is not answered. */
export type Near = Pick<Passage, 'path' | 'title' | 'crumbs'>;

export type Answer = { kind: 'known'; passages: Passage[] } | { kind: 'unknown'; near: Near[] };

/** How much of a question a page, and one section of it, has to cover to count as an answer. */
const leastPageCoverage = 0.6;
const leastCoverage = 0.4;
/** Passages that are much worse than the best one are not quoted. */
const leastShare = 0.4;
const passageCount = 3;
const nearCount = 3;
const quoteLength = 420;

/**
 * Quotes what the documentation says about a question. It never makes up a sentence: it quotes, or says that it does not know and lists
 * search results. A follow-up question is answered with the subject of the previous one.
 */
export function answer(engine: Engine, question: string, context: SearchContext, before?: string): Answer {
  const requested = withSubject(question, before);
  const found = engine.find(requested, context, { isComplete: true });
  const knowing = found.filter(({ section, coverage, pageCoverage }) => {
    return section.text !== '' && pageCoverage >= leastPageCoverage && coverage >= leastCoverage;
  });
  const best = Math.max(...knowing.map(({ score }) => score));
  const passages = knowing.filter(({ score }) => score >= best * leastShare).slice(0, passageCount);
  if (passages.length > 0) return { kind: 'known', passages: passages.map(toPassage) };
  return { kind: 'unknown', near: found.slice(0, nearCount).map(toNear) };
}

function toNear({ page, section }: Finding): Near {
  return {
    path: addressOf({ page, section }),
    title: section.heading ?? page.title,
    crumbs: section.heading === undefined ? page.crumbs : [...page.crumbs, page.title],
  };
}

function toPassage(finding: Finding): Passage {
  const { page, section, terms } = finding;
  return {
    ...toNear(finding),
    page: page.path,
    heading: section.heading,
    quote: takeSnippet(section.text, terms, quoteLength),
  };
}
