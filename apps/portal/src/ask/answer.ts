import type { Engine, Finding, SearchContext } from '@latchkey/server/docs-search';
import type { Segment } from '../search/client.ts';
import { addressOf } from '../search/embedded.ts';
import { takeSnippet } from '../search/highlight.ts';

/** Words of the documentation, and where they stand. */
export interface Passage {
  path: string;
  title: string;
  crumbs: string[];
  quote: Segment[];
}

export type Answer = { kind: 'known'; passages: Passage[] } | { kind: 'unknown' };

/** How much of a question a page, and one section of it, has to speak of before it counts as an answer. */
const leastPageCoverage = 0.6;
const leastCoverage = 0.4;
/** What is much worse than the best answer is not quoted beside it. */
const leastShare = 0.4;
const passageCount = 3;
const quoteLength = 420;

/** Quotes what the documentation says to a question. It never makes up a sentence: it quotes, or does not know. */
export function answer(engine: Engine, question: string, context: SearchContext): Answer {
  const knowing = engine.find(question, context, { isComplete: true }).filter(({ section, coverage, pageCoverage }) => {
    return section.text !== '' && pageCoverage >= leastPageCoverage && coverage >= leastCoverage;
  });
  const best = Math.max(...knowing.map(({ score }) => score));
  const passages = knowing.filter(({ score }) => score >= best * leastShare).slice(0, passageCount);
  return passages.length === 0 ? { kind: 'unknown' } : { kind: 'known', passages: passages.map(toPassage) };
}

function toPassage({ page, section, terms }: Finding): Passage {
  return {
    path: addressOf({ page, section }),
    title: section.heading ?? page.title,
    crumbs: section.heading === undefined ? page.crumbs : [...page.crumbs, page.title],
    quote: takeSnippet(section.text, terms, quoteLength),
  };
}
