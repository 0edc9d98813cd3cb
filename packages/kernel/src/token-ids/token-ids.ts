import { type Glob, matchesGlob, parseGlob } from './glob.ts';

/** Which tokens of a collection are meant, as a rule writes it: a list of ids, inclusive ranges and globs. */
export interface TokenIdSet {
  /** In one spelling, so that equal sets are equal texts; it can be read again. */
  text: string;
  items: readonly TokenIdItem[];
}

export type TokenIdItem =
  | { kind: 'id'; id: string }
  /** Inclusive; a missing end is open. */
  | { kind: 'range'; from?: bigint; to?: bigint }
  | { kind: 'glob'; text: string; glob: Glob };

/** A token id text that cannot be read. `position` counts characters from 0. */
export class TokenIdsMalformed extends Error {
  override readonly name = 'TokenIdsMalformed';
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

export const maxTokenIdItems = 10_000;

/**
 * Reads token ids: separated by commas or spaces, `7`, `0x1f`, `10-20`, `-5`, `5-`, or a glob of `*`, `?`, `[…]`, `{…}`,
 * `(…)` and `|`. Decimal and hexadecimal spellings of a number are equal. Throws `TokenIdsMalformed`.
 */
export function parseTokenIds(text: string): TokenIdSet {
  const words = splitWords(text);
  if (words.length === 0) throw new TokenIdsMalformed('There is no token id in it.', 0);
  if (words.length > maxTokenIdItems) {
    throw new TokenIdsMalformed(`There are more than ${maxTokenIdItems} token ids in it.`, 0);
  }
  const items = words.map(({ word, position }) => parseItem(word, position));
  return { text: [...new Set(items.map(formatItem))].join(','), items };
}

/** Whether a token is meant. */
export function matchesTokenIds(set: TokenIdSet, id: string): boolean {
  const plain = plainId(id);
  const number = /^\d+$/.test(plain) ? BigInt(plain) : undefined;
  return set.items.some((item) => {
    if (item.kind === 'id') return item.id === plain;
    if (item.kind === 'glob') return matchesGlob(item.glob, plain) || (plain !== id && matchesGlob(item.glob, id));
    if (number === undefined) return false;
    return (item.from === undefined || number >= item.from) && (item.to === undefined || number <= item.to);
  });
}

/** Every id that is meant, or undefined when they cannot be counted or are more than `limit`. */
export function listTokenIds(set: TokenIdSet, limit = maxTokenIdItems): string[] | undefined {
  const ids = new Set<string>();
  for (const item of set.items) {
    if (item.kind === 'glob') return undefined;
    if (item.kind === 'id') ids.add(item.id);
    else if (item.to === undefined || item.to - (item.from ?? 0n) >= BigInt(limit)) return undefined;
    else for (let id = item.from ?? 0n; id <= item.to; id += 1n) ids.add(id.toString());
    if (ids.size > limit) return undefined;
  }
  return [...ids];
}

// Separators inside brackets belong to a glob.
function splitWords(text: string): { word: string; position: number }[] {
  const words: { word: string; position: number }[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const char = text[at] ?? ',';
    if ('[{('.includes(char)) depth += 1;
    else if (')}]'.includes(char)) depth = Math.max(0, depth - 1);
    const ends = at === text.length || (depth === 0 && /[\s,]/.test(char));
    if (!ends) continue;
    if (at > start) words.push({ word: text.slice(start, at), position: start });
    start = at + 1;
  }
  return words;
}

const number = '(?:0[xX][0-9a-fA-F]{1,64}|\\d{1,78})';
const rangePattern = new RegExp(`^(?:(${number})-(${number})|-(${number})|(${number})-)$`);

function parseItem(word: string, position: number): TokenIdItem {
  if (word.length > 256) throw new TokenIdsMalformed('A token id has up to 256 characters.', position);
  if (/[*?[\]{}()|]/.test(word)) return { kind: 'glob', text: word, glob: readGlob(word, position) };
  const range = rangePattern.exec(word);
  if (range === null) return { kind: 'id', id: plainId(word) };
  const [, a, b, upTo, since] = range;
  const from = a ?? since;
  const to = b ?? upTo;
  const bounds = { ...(from !== undefined && { from: BigInt(from) }), ...(to !== undefined && { to: BigInt(to) }) };
  if (bounds.from !== undefined && bounds.to !== undefined && bounds.from > bounds.to) {
    throw new TokenIdsMalformed(`The range ${word} ends before it starts.`, position);
  }
  return { kind: 'range', ...bounds };
}

function readGlob(word: string, position: number): Glob {
  const parsed = parseGlob(word);
  if ('problem' in parsed) throw new TokenIdsMalformed(parsed.problem, position + parsed.position);
  return parsed.glob;
}

function formatItem(item: TokenIdItem): string {
  if (item.kind === 'id') return item.id;
  return item.kind === 'glob' ? item.text : `${item.from ?? ''}-${item.to ?? ''}`;
}

// Chains and people write one number as 31, 0031 and 0x1f.
function plainId(id: string): string {
  return /^(?:0[xX][0-9a-fA-F]{1,64}|\d{1,78})$/.test(id) ? BigInt(id).toString() : id;
}
