/** One field of a query: what it is called in the answer, its arguments and what is wanted of it. */
export interface Selection {
  name: string;
  alias: string;
  args: Readonly<Record<string, unknown>>;
  fields: readonly Selection[];
}

export class SyntaxProblem extends Error {}

type Variables = Readonly<Record<string, unknown>>;

/** Reads one GraphQL query, with or without variables. Fragments, directives and mutations are not understood here. */
export function parseQuery(text: string, variables: Variables): Selection[] {
  const tokens = new Tokens(text);
  if (tokens.has('query')) {
    if (tokens.next !== '{' && tokens.next !== '(') tokens.name();
    // What variables are declared as decides nothing here: each field checks what it is given.
    if (tokens.next === '(') while (tokens.take() !== ')');
  }
  const fields = readFields(tokens, variables);
  if (tokens.next !== undefined) throw new SyntaxProblem(`Syntax Error: Unexpected "${tokens.next}".`);
  return fields;
}

function readFields(tokens: Tokens, variables: Variables): Selection[] {
  tokens.take('{');
  const fields: Selection[] = [];
  while (!tokens.has('}')) {
    const alias = tokens.name();
    const name = tokens.has(':') ? tokens.name() : alias;
    const args = tokens.has('(') ? readPairs(tokens, ')', variables) : {};
    fields.push({ name, alias, args, fields: tokens.next === '{' ? readFields(tokens, variables) : [] });
  }
  return fields;
}

function readPairs(tokens: Tokens, end: string, variables: Variables): Record<string, unknown> {
  const pairs: Record<string, unknown> = {};
  while (!tokens.has(end)) {
    const name = tokens.name();
    tokens.take(':');
    pairs[name] = readValue(tokens, variables);
  }
  return pairs;
}

const words: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };

function readValue(tokens: Tokens, variables: Variables): unknown {
  const next = tokens.take();
  if (next === '$') return variables[tokens.name()] ?? null;
  if (next === '{') return readPairs(tokens, '}', variables);
  if (next === '[') {
    const items: unknown[] = [];
    while (!tokens.has(']')) items.push(readValue(tokens, variables));
    return items;
  }
  if (next.startsWith('"')) return JSON.parse(next);
  if (/^-?\d/.test(next)) return Number(next);
  if (/^[A-Za-z_]/.test(next)) return Object.hasOwn(words, next) ? words[next] : next;
  throw new SyntaxProblem(`Syntax Error: Unexpected "${next}".`);
}

const pattern = /(?:[\s,]|#[^\n]*\n)*("(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?|[A-Za-z_]\w*|[{}()[\]:$!=@])/y;

class Tokens {
  readonly #all: string[] = [];
  #at = 0;

  constructor(text: string) {
    const reader = new RegExp(pattern);
    for (let from = 0; ; from = reader.lastIndex) {
      const token = reader.exec(text)?.[1];
      if (token !== undefined) this.#all.push(token);
      else if (/^[\s,]*$/.test(text.slice(from))) return;
      else throw new SyntaxProblem(`Syntax Error: Unexpected character at ${from}.`);
    }
  }

  get next(): string | undefined {
    return this.#all[this.#at];
  }

  /** Takes the next one if it is this. */
  has(expected: string): boolean {
    if (this.next !== expected) return false;
    this.#at += 1;
    return true;
  }

  take(expected?: string): string {
    const { next } = this;
    if (next === undefined || (expected !== undefined && next !== expected))
      throw new SyntaxProblem(`Syntax Error: Expected ${expected ?? 'more'}, found ${next ?? '<EOF>'}.`);
    this.#at += 1;
    return next;
  }

  name(): string {
    const name = this.take();
    if (!/^[A-Za-z_]/.test(name)) throw new SyntaxProblem(`Syntax Error: Expected Name, found "${name}".`);
    return name;
  }
}
