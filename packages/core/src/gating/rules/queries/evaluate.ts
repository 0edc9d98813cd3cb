import type jsonata from 'jsonata';
import { LRUCache } from 'lru-cache';
import { maxRunMs, maxTextLength, shapeLimits } from './limits.ts';
import { QueryFailed, toQueryFailed } from './query-failed.ts';
import { noPicture, parseQuery, pictureFunctions, type Query, QueryMalformed } from './read-query.ts';

/** What all queries of one request share: the current time, and their total time limit. */
export interface QueryBudget {
  now: Date;
  leftMs: number;
  /** How long this thread has computed. Other load on the machine does not count against a query. */
  computedMs: () => number;
  /** Called at every step, so that an outside observer can see whether the query makes progress. */
  beat?: () => void;
}

// Queries cannot reference this name, because it contains a space.
const stepName = ' step';
// A parsed query takes several hundred times the memory of its text, and this thread has little.
const known = new LRUCache<string, jsonata.Expression>({
  max: 500,
  maxSize: 40_000,
  sizeCalculation: (_expression, text) => text.length,
});

export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * Runs a query. Throws `QueryFailed`. Time, depth and the size of every value are limited, but only between two steps:
 * the caller must be able to terminate a thread stuck in one, so only the worker threads call it.
 */
export async function evaluate(
  { text }: Query,
  input: unknown,
  bindings: Readonly<Record<string, unknown>>,
  budget: QueryBudget,
): Promise<unknown> {
  if (budget.leftMs <= 0) throw new QueryFailed('The queries of this request take too long.', 'limit');
  const startedAt = budget.computedMs();
  const step = () => {
    budget.beat?.();
    if (budget.computedMs() - startedAt > maxRunMs) throw new QueryFailed('The query takes too long.', 'limit');
  };
  try {
    const expression = open(text);
    return await expression.evaluate(input, { ...bindings, ...fixedFunctions(budget.now), [stepName]: step });
  } catch (error) {
    throw toQueryFailed(error);
  } finally {
    budget.leftMs -= budget.computedMs() - startedAt;
  }
}

function open(text: string): jsonata.Expression {
  const present = known.get(text);
  if (present !== undefined) return present;
  const expression = parse(text);
  // Depth is checked when an expression is entered; time, and values that grow within a step, are checked here.
  assignHook(expression, Symbol.for('jsonata.__evaluate_exit'), (_node, _input, environment, result) => {
    const step = environment.lookup(stepName) as () => void;
    step();
    const isTooLarge = Array.isArray(result)
      ? result.length > shapeLimits.sequence
      : typeof result === 'string' && result.length > maxTextLength;
    if (isTooLarge) throw new QueryFailed('The query produces a value that is too large.', 'limit');
  });
  known.set(text, expression);
  return expression;
}

// The rule may have been saved by a version that allowed more.
function parse(text: string): jsonata.Expression {
  try {
    return parseQuery(text);
  } catch (error) {
    if (error instanceof QueryMalformed) throw new QueryFailed(`The query cannot be read: ${error.message}`, 'refused');
    throw error;
  }
}

type Hook = (node: unknown, input: unknown, environment: { lookup(name: string): unknown }, result: unknown) => void;

// The type of assign() allows only strings, but hooks are assigned by symbols.
function assignHook(expression: jsonata.Expression, symbol: symbol, hook: Hook): void {
  (expression as unknown as { assign(name: symbol, value: Hook): void }).assign(symbol, hook);
}

const isoTime = /^\d{4}(-[01]\d)?(-[0-3]\d)?(T[0-2]\d:[0-5]\d:[0-5]\d)?(\.\d+)?([+-][0-2]\d:?[0-5]\d|Z)?$/;

/**
 * JSONata functions that are replaced for queries. The same query must always return the same result: no randomness, no
 * clock except the given one, no code created from data. And no function may run endlessly inside one step.
 */
function fixedFunctions(now: Date): Record<string, unknown> {
  return {
    now: () => now.toISOString(),
    millis: () => now.getTime(),
    random: refuse('Queries cannot use $random.'),
    shuffle: refuse('Queries cannot use $shuffle.'),
    eval: refuse('Queries cannot use $eval.'),
    ...Object.fromEntries(pictureFunctions.map((name) => [name, refuse(`${noPicture}: leave out $${name}.`)])),
    toMillis,
    fromMillis,
    pad,
    distinct: (list: unknown) =>
      Array.isArray(list) ? [...new Map(list.map((item) => [JSON.stringify(item), item])).values()] : list,
  };
}

function refuse(message: string) {
  return () => {
    throw new QueryFailed(message, 'refused');
  };
}

// As in JSONata, a call without arguments uses the context value.
function toMillis(this: unknown, ...given: unknown[]): number | undefined {
  const [text, picture] = given.length === 0 ? [this] : given;
  refusePicture('toMillis', picture);
  if (text === undefined) return undefined;
  if (typeof text !== 'string' || !isoTime.test(text)) throw new QueryFailed('$toMillis needs an ISO 8601 time.');
  return Date.parse(text);
}

function fromMillis(this: unknown, ...given: unknown[]): string | undefined {
  const [ms, picture, timezone] = given.length === 0 ? [this] : given;
  refusePicture('fromMillis', picture ?? timezone);
  if (ms === undefined) return undefined;
  const time = new Date(typeof ms === 'number' ? ms : Number.NaN);
  if (Number.isNaN(time.getTime())) throw new QueryFailed('$fromMillis needs the milliseconds of a time.');
  return time.toISOString();
}

function refusePicture(name: string, picture: unknown): void {
  if (picture !== undefined) throw new QueryFailed(`${noPicture}: $${name} takes one value.`, 'refused');
}

function pad(text: unknown, width: unknown, fill: unknown = ' '): string {
  if (typeof width !== 'number' || Math.abs(width) > maxTextLength) throw new QueryFailed('$pad is too wide.', 'limit');
  const padded = String(text);
  return width < 0 ? padded.padStart(-width, String(fill)) : padded.padEnd(width, String(fill));
}
