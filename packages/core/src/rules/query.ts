import { setImmediate } from 'node:timers/promises';
import jsonata from 'jsonata';

/** A JSONata expression that was read and found harmless. */
export interface Query {
  text: string;
  /** Throws `QueryFailed`, never hangs: time, depth and the size of every value are limited. */
  run(input: unknown, bindings: Readonly<Record<string, unknown>>, context: QueryContext): Promise<unknown>;
}

/** What all queries of one decision share: what time it is, and how long they may take together. */
export interface QueryContext {
  now: Date;
  leftMs: number;
  /** How long this thread has computed. A busy machine takes no time away from a query by that clock. */
  computedMs: () => number;
}

export function startQueries(now: Date, computedMs = threadMs): QueryContext {
  return { now, leftMs: 250, computedMs };
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** A query that ran into a limit, or stumbled over its input. It decides nothing. */
export class QueryFailed extends Error {
  override readonly name = 'QueryFailed';
  readonly kind: 'limit' | 'input';

  constructor(message: string, kind: QueryFailed['kind'] = 'input') {
    super(message);
    this.kind = kind;
  }
}

/** A query that cannot be read. `position` counts characters from 0. */
export class QueryMalformed extends Error {
  override readonly name = 'QueryMalformed';
  readonly position: number | undefined;

  constructor(message: string, position?: number) {
    super(message);
    this.position = position;
  }
}

export const maxQueryLength = 4096;
const limits = { stack: 128, sequence: 10_000 };
const maxRunMs = 50;
const maxTextLength = 4096;
const longRunMs = 5;
// A query cannot write this name.
const hasTimeName = ' has time';

/** Reads a query once, for many runs. Throws `QueryMalformed`. */
export function compileQuery(text: string): Query {
  if (text.length > maxQueryLength) throw new QueryMalformed(`A query has up to ${maxQueryLength} characters.`);
  const expression = parse(text);
  refuseRegexes(expression.ast());
  // Depth is checked where an expression is entered; time, and what grows without a step of its own, is caught here.
  assignHook(expression, Symbol.for('jsonata.__evaluate_exit'), (_node, _input, environment, result) => {
    const hasTime = environment.lookup(hasTimeName) as () => boolean;
    if (!hasTime()) throw new QueryFailed('The query takes too long.', 'limit');
    const isTooLarge = Array.isArray(result)
      ? result.length > limits.sequence
      : typeof result === 'string' && result.length > maxTextLength;
    if (isTooLarge) throw new QueryFailed('The query makes a value that is too large.', 'limit');
  });
  return {
    text,
    run: async (input, bindings, context) => {
      if (context.leftMs <= 0) throw new QueryFailed('The queries of this rule take too long.', 'limit');
      const startedAt = context.computedMs();
      const hasTime = () => context.computedMs() - startedAt <= maxRunMs;
      try {
        return await expression.evaluate(input, {
          ...bindings,
          ...fixedFunctions(context.now),
          [hasTimeName]: hasTime,
        });
      } catch (error) {
        throw toQueryFailed(error);
      } finally {
        const tookMs = context.computedMs() - startedAt;
        context.leftMs -= tookMs;
        // JSONata never lets go of the thread by itself; others get their turn after a long run.
        if (tookMs > longRunMs) await setImmediate();
      }
    },
  };
}

/** Whether what a query answers counts as a yes, by JSONata's own rules for conditions. */
export function isYes(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isYes);
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return typeof value !== 'function' && Boolean(value);
}

// Depth, and the two sizes of lists, as JSONata numbers them.
const limitCodes: readonly unknown[] = ['D1011', 'D2014', 'D2015'];

function toQueryFailed(error: unknown): QueryFailed {
  if (error instanceof QueryFailed) return error;
  const isLimit = error instanceof RangeError || (isObject(error) && limitCodes.includes(error.code));
  return new QueryFailed(`The query failed: ${messageOf(error)}`, isLimit ? 'limit' : 'input');
}

function parse(text: string): jsonata.Expression {
  try {
    return jsonata(text, limits);
  } catch (error) {
    const position = isObject(error) && typeof error.position === 'number' ? error.position : undefined;
    throw new QueryMalformed(messageOf(error), position);
  }
}

// A regular expression can run for ever inside one step, where no limit reaches it.
function refuseRegexes(node: unknown, seen = new Set<unknown>()): void {
  if (!isObject(node) || seen.has(node)) return;
  seen.add(node);
  if (node.type === 'regex') {
    throw new QueryMalformed(
      'A query has no regular expressions; compare with = or $contains.',
      typeof node.position === 'number' ? node.position : undefined,
    );
  }
  for (const value of Object.values(node)) refuseRegexes(value, seen);
}

// The same question must have the same answer: no chance, no clock but the one given, no program made of data.
function fixedFunctions(now: Date): Record<string, unknown> {
  const refuse = (name: string) => () => {
    throw new QueryFailed(`A query has no $${name}.`);
  };
  return {
    now: () => now.toISOString(),
    millis: () => now.getTime(),
    random: refuse('random'),
    shuffle: refuse('shuffle'),
    eval: refuse('eval'),
    pad: (text: unknown, width: unknown, fill: unknown = ' ') => {
      if (typeof width !== 'number' || Math.abs(width) > maxTextLength)
        throw new QueryFailed('$pad is too wide.', 'limit');
      const padded = String(text);
      return width < 0 ? padded.padStart(-width, String(fill)) : padded.padEnd(width, String(fill));
    },
    distinct: (list: unknown) =>
      Array.isArray(list) ? [...new Map(list.map((item) => [JSON.stringify(item), item])).values()] : list,
  };
}

type Hook = (node: unknown, input: unknown, environment: { lookup(name: string): unknown }, result: unknown) => void;

// The type of assign() knows names only, but hooks are assigned by symbols.
function assignHook(expression: jsonata.Expression, symbol: symbol, hook: Hook): void {
  (expression as unknown as { assign(name: symbol, value: Hook): void }).assign(symbol, hook);
}

function messageOf(error: unknown): string {
  return isObject(error) && typeof error.message === 'string' ? error.message : 'no reason was given.';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
