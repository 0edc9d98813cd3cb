import { isObject } from '@latchkey/kernel';
import jsonata from 'jsonata';
import { maxQueryLength, shapeLimits } from './limits.ts';
import { messageOf } from './query-failed.ts';

/** A parsed JSONata expression. `startQueries` runs it in another thread. */
export interface Query {
  text: string;
}

/** A query that cannot be parsed. `position` counts characters from 0. */
export class QueryMalformed extends Error {
  override readonly name = 'QueryMalformed';
  readonly position: number | undefined;

  constructor(message: string, position?: number) {
    super(message);
    this.position = position;
  }
}

const maxCopiedLength = 2 * maxQueryLength;

const maxSteps = 256;

/** Parses a query. Throws `QueryMalformed`. Portals call this in the browser. */
export function readQuery(text: string): Query {
  parseQuery(text);
  return { text };
}

export function parseQuery(text: string): jsonata.Expression {
  if (text.length > maxQueryLength) throw new QueryMalformed(`A query can have at most ${maxQueryLength} characters.`);
  refuseCopies(text);
  refuseLongPaths(text);
  try {
    const expression = jsonata(text, shapeLimits);
    refuseForms(expression.ast(), (message, position) => {
      throw new QueryMalformed(message, position);
    });
    return expression;
  } catch (error) {
    if (error instanceof QueryMalformed) throw error;
    const { position } = Object(error);
    throw new QueryMalformed(messageOf(error), typeof position === 'number' ? position : undefined);
  }
}

// JSONata's parser copies the left operand of these two operators, so each nesting doubles its work: 30 levels would
// never finish.
function refuseCopies(text: string): void {
  const copies = text.match(/\?(?=[?:])/g)?.length ?? 0;
  if (text.length * 2 ** copies <= maxCopiedLength) return;
  throw new QueryMalformed('A query of this length uses ?? and ?: too often.', text.search(/\?[?:]/));
}

// JSONata's parser revisits all steps of a path for each step.
function refuseLongPaths(text: string): void {
  if (text.split('.').length > maxSteps + 1) throw new QueryMalformed(`A query has up to ${maxSteps} points.`);
}

type Refuse = (message: string, position?: number) => never;

/**
 * Functions that take a picture string, always or optionally: JSONata builds regular expressions and endless loops from
 * one.
 */
export const pictureFunctions = ['formatNumber', 'formatInteger', 'parseInteger'] as const;

const timeFunctions = ['toMillis', 'fromMillis'] as const;

export const noPicture = 'Queries cannot use picture strings';

/**
 * Refuses expressions that can run forever inside one step of a query, where no limit applies. A function hidden behind
 * an alias is refused when it runs.
 */
function refuseForms(ast: unknown, refuse: Refuse): void {
  const seen = new Set<unknown>();
  const visit = (node: unknown, appliedTo: number): void => {
    if (seen.has(node)) return;
    seen.add(node);
    if (Array.isArray(node)) for (const part of node) visit(part, 0);
    if (!isObject(node)) return;
    const problem = problemOf(node, appliedTo);
    if (problem !== undefined) refuse(problem, typeof node.position === 'number' ? node.position : undefined);
    for (const [name, part] of Object.entries(node)) visit(part, node.type === 'apply' && name === 'rhs' ? 1 : 0);
  };
  visit(ast, 0);
}

// `x ~> $f(y)` passes two values to $f.
function problemOf(node: Record<string, unknown>, appliedTo: number): string | undefined {
  if (node.type === 'regex') return 'Queries cannot use regular expressions; compare with = or $contains.';
  if (node.type === 'lambda' && node.signature !== undefined)
    return 'Functions in queries cannot have a signature in <…>.';
  if (node.type === 'variable' && isOneOf(pictureFunctions, node.value))
    return `${noPicture}: leave out $${node.value}.`;
  const { procedure, arguments: given } = node;
  if (!isObject(procedure) || procedure.type !== 'variable' || !Array.isArray(given)) return undefined;
  if (!isOneOf(timeFunctions, procedure.value) || given.length + appliedTo < 2) return undefined;
  return `${noPicture}: $${procedure.value} takes one value.`;
}

function isOneOf<Name extends string>(names: readonly Name[], value: unknown): value is Name {
  return names.some((name) => name === value);
}
