/** A pattern of token ids: alternatives, each a sequence of parts. */
export type Glob = readonly (readonly GlobPart[])[];

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

/** Reads `*`, `?`, `[a-z]`, `[!a]`, `{a,b}`, `{1..9}`, `(a|b)` and `a|b`. A backslash takes the next character as it is. */
export function parseGlob(text: string): Parsed {
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
 * Whether the whole text fits. It keeps the set of places reached so far instead of trying ways one after another, so no
 * pattern makes it slow.
 */
export function matchesGlob(glob: Glob, text: string): boolean {
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
  if (depth > 8) throw new Malformed('The brackets are nested deeper than 8.', reader.at);
  const opened = reader.at;
  const glob: GlobPart[][] = [[]];
  for (;;) {
    const at = reader.at;
    const char = reader.text[reader.at++];
    if (char === close) return glob;
    if (char === undefined) throw new Malformed(`A "${close}" is missing.`, opened - 1);
    if (char === separator) glob.push([]);
    else if (')}]'.includes(char)) throw new Malformed(`This "${char}" closes nothing.`, at);
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
    throw new Malformed('Numbers in braces go up, by at most 1000.', reader.at);
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
  if (ranges.length === 0) throw new Malformed('These brackets hold nothing.', reader.at - 1);
  reader.at = end + 1;
  return { kind: 'class', negated, ranges };
}
