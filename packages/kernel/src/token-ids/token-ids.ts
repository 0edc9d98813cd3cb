/** The tokens of a collection that a rule selects: a list of ids, inclusive ranges and globs. */
export interface TokenIdSet {
  /** In canonical form, so that equal sets have equal texts; it can be parsed again. */
  text: string;
  items: readonly TokenIdItem[];
}

export type TokenIdItem =
  | { kind: 'id'; id: string }
  /** Inclusive; open if an end is missing. */
  | { kind: 'range'; from?: bigint; to?: bigint }
  | { kind: 'glob'; text: string; glob: Glob };

/** Token ids that cannot be parsed. `position` counts characters from 0. */
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
 * Parses token ids: separated by commas or spaces, `7`, `0x1f`, `10-20`, `-5`, `5-`, or a glob of `*`, `?`, `[…]`,
 * `{…}`, `(…)` and `|`. Decimal and hexadecimal notations of a number are equal. Throws `TokenIdsMalformed`.
 */
export function parseTokenIds(text: string): TokenIdSet {
  const words = splitWords(text);
  if (words.length === 0) throw new TokenIdsMalformed('It contains no token ids.', 0);
  if (words.length > maxTokenIdItems) {
    throw new TokenIdsMalformed(`It contains more than ${maxTokenIdItems} token ids.`, 0);
  }
  const items = words.map(({ word, position }) => parseItem(word, position));
  return { text: [...new Set(items.map(formatItem))].join(','), items };
}

/** Whether the set contains a token. */
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

/** Returns every id of the set; undefined if they are infinite or more than `limit`. */
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
  if (word.length > 256) throw new TokenIdsMalformed('A token id can have up to 256 characters.', position);
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

/** A pattern of token ids: alternatives, each a sequence of parts. */
type Glob = readonly (readonly GlobPart[])[];

type GlobPart =
  | { kind: 'char'; char: string }
  | { kind: 'one' }
  | { kind: 'many' }
  | { kind: 'class'; negated: boolean; ranges: readonly (readonly [string, string])[] }
  | { kind: 'group'; glob: Glob };

type Parsed = { glob: Glob } | { problem: string; position: number };

class Malformed extends Error {
  readonly position: number;

  constructor(problem: string, position: number) {
    super(problem);
    this.position = position;
  }
}

/** Parses `*`, `?`, `[a-z]`, `[!a]`, `{a,b}`, `{1..9}`, `(a|b)` and `a|b`. A backslash escapes the next character. */
function parseGlob(text: string): Parsed {
  try {
    const reader = { text, at: 0 };
    const glob = parseAlternatives(reader, undefined, '|', 0);
    return { glob };
  } catch (error) {
    if (error instanceof Malformed) return { problem: error.message, position: error.position };
    throw error;
  }
}

/**
 * Whether the whole text matches. It tracks the set of reachable positions instead of backtracking, so no pattern makes
 * it slow.
 */
function matchesGlob(glob: Glob, text: string): boolean {
  return endsOf(glob, text, new Set([0])).has(text.length);
}

function endsOf(glob: Glob, text: string, starts: ReadonlySet<number>): Set<number> {
  const ends = new Set<number>();
  for (const sequence of glob) {
    let places = starts;
    for (const part of sequence) places = step(part, text, places);
    for (const place of places) ends.add(place);
  }
  return ends;
}

function step(part: GlobPart, text: string, places: ReadonlySet<number>): ReadonlySet<number> {
  if (places.size === 0) return places;
  if (part.kind === 'group') return endsOf(part.glob, text, places);
  const next = new Set<number>();
  if (part.kind === 'many') {
    for (let place = Math.min(...places); place <= text.length; place += 1) next.add(place);
    return next;
  }
  for (const place of places) {
    const char = text[place];
    if (char !== undefined && fits(part, char)) next.add(place + 1);
  }
  return next;
}

function fits(part: Exclude<GlobPart, { kind: 'group' | 'many' }>, char: string): boolean {
  if (part.kind === 'one') return true;
  if (part.kind === 'char') return part.char === char;
  return part.ranges.some(([from, to]) => from <= char && char <= to) !== part.negated;
}

interface Reader {
  text: string;
  at: number;
}

function parseAlternatives(reader: Reader, close: string | undefined, separator: string, depth: number): Glob {
  if (depth > 8) throw new Malformed('Brackets can be nested at most 8 levels deep.', reader.at);
  const opened = reader.at;
  const glob: GlobPart[][] = [[]];
  for (;;) {
    const at = reader.at;
    const char = reader.text[reader.at++];
    if (char === close) return glob;
    if (char === undefined) throw new Malformed(`A "${close}" is missing.`, opened - 1);
    if (char === separator) glob.push([]);
    else if (')}]'.includes(char)) throw new Malformed(`Unmatched "${char}".`, at);
    else glob.at(-1)?.push(parsePart(reader, char, depth));
  }
}

function parsePart(reader: Reader, char: string, depth: number): GlobPart {
  if (char === '*') return { kind: 'many' };
  if (char === '?') return { kind: 'one' };
  if (char === '[') return parseClass(reader);
  if (char === '(') return { kind: 'group', glob: parseAlternatives(reader, ')', '|', depth + 1) };
  if (char === '{') {
    return parseNumbers(reader) ?? { kind: 'group', glob: parseAlternatives(reader, '}', ',', depth + 1) };
  }
  return { kind: 'char', char: char === '\\' ? (reader.text[reader.at++] ?? char) : char };
}

function parseNumbers(reader: Reader): GlobPart | undefined {
  const [all = '', from = '', to = ''] = /^(\d{1,15})\.\.(\d{1,15})\}/.exec(reader.text.slice(reader.at)) ?? [];
  if (all === '') return undefined;
  const [first, last] = [Number(from), Number(to)];
  if (last < first || last - first >= 1000) {
    throw new Malformed('Ranges in braces must be ascending and span at most 1000.', reader.at);
  }
  reader.at += all.length;
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
  return { kind: 'group', glob: numbers.map((digits) => [...digits].map((char) => ({ kind: 'char', char }))) };
}

function parseClass(reader: Reader): GlobPart {
  const end = reader.text.indexOf(']', reader.at + 1);
  if (end < 0) throw new Malformed('A "]" is missing.', reader.at - 1);
  const inside = reader.text.slice(reader.at, end);
  const negated = /^[!^]/.test(inside);
  const body = negated ? inside.slice(1) : inside;
  const ranges = [...body.matchAll(/(.)-(.)|(.)/g)].map(
    ([, from, to, single]) => [from ?? single ?? '', to ?? single ?? ''] as const,
  );
  if (ranges.length === 0) throw new Malformed('Brackets cannot be empty.', reader.at - 1);
  reader.at = end + 1;
  return { kind: 'class', negated, ranges };
}
