import jsonata from 'jsonata';
import { maxQueryLength, shapeLimits } from './limits.ts';
import { messageOf } from './query-failed.ts';
import { refuseForms } from './refuse-forms.ts';

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
