import { splitWords, toTerm } from '@latchkey/server/docs-search';
import type { Segment } from './client.ts';

interface Word {
  start: number;
  end: number;
  isMatch: boolean;
}

const wordPattern = /[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu;

function findWords(text: string, terms: ReadonlySet<string>): Word[] {
  return [...text.matchAll(wordPattern)].map(({ 0: word, index }) => ({
    start: index,
    end: index + word.length,
    isMatch: splitWords(word).some((spelling) => terms.has(toTerm(spelling) ?? '')),
  }));
}

/** Returns the whole text, with matching words marked. */
export function markWords(text: string, terms: ReadonlySet<string>): Segment[] {
  return cut(text, findWords(text, terms), 0, text.length);
}

/** Returns the part of a text with the most matches, with matching words marked, cut at words. */
export function takeSnippet(text: string, terms: ReadonlySet<string>, maxLength: number): Segment[] {
  const words = findWords(text, terms);
  if (text.length <= maxLength) return cut(text, words, 0, text.length);
  const start = bestStart(text, words, maxLength);
  const end = words.findLast((word) => word.end <= start + maxLength)?.end ?? start + maxLength;
  const segments = cut(text, words, start, end);
  if (start > 0) segments.unshift({ text: '… ', isMatch: false });
  if (end < text.length) segments.push({ text: ' …', isMatch: false });
  return segments;
}

/** Returns the word to begin with: the first, the start of a sentence, or one shortly before a match. */
function bestStart(text: string, words: readonly Word[], maxLength: number): number {
  let best = { start: 0, score: -1 };
  for (const [index, { start }] of words.entries()) {
    const startsSentence = index === 0 || /[.:?!]\s+$/.test(text.slice(Math.max(0, start - 3), start));
    if (!startsSentence && words[index + 3]?.isMatch !== true) continue;
    const inside = words.filter((word) => word.isMatch && word.start >= start && word.end <= start + maxLength);
    const distinct = new Set(inside.map((word) => toTerm(text.slice(word.start, word.end)))).size;
    // Of two parts with equal matches, the one whose first match comes earlier wins.
    const detour = ((inside[0]?.start ?? start) - start) / maxLength;
    const score = distinct + inside.length / 20 + (startsSentence ? 0.5 : 0) - detour / 2;
    if (score > best.score) best = { start, score };
  }
  return best.start;
}

function cut(text: string, words: readonly Word[], start: number, end: number): Segment[] {
  const segments: Segment[] = [];
  let position = start;
  const add = (until: number, isMatch: boolean) => {
    if (until > position) segments.push({ text: text.slice(position, until), isMatch });
    position = Math.max(position, until);
  };
  for (const word of words) {
    if (!word.isMatch || word.start < start || word.end > end) continue;
    add(word.start, false);
    add(word.end, true);
  }
  add(end, false);
  return segments;
}
