import jsonata from 'jsonata';
import { maxQueryLength, shapeLimits } from './limits.ts';
import { messageOf } from './query-failed.ts';
import { refuseForms } from './refuse-forms.ts';

/** A JSONata expression that was read. It is run apart, by `startQueries`. */
export interface Query {
  text: string;
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

const maxCopiedLength = 2 * maxQueryLength;
const maxSteps = 256;

/** Reads a query. Throws `QueryMalformed`. Portals do this in a browser. */
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

// JSONata's parser copies what stands left of these two, so each inside another doubles its work: 30 would never end.
function refuseCopies(text: string): void {
  const copies = text.match(/\?(?=[?:])/g)?.length ?? 0;
  if (text.length * 2 ** copies <= maxCopiedLength) return;
  throw new QueryMalformed('A query of this length uses ?? and ?: too often.', text.search(/\?[?:]/));
}

// It looks at all steps of a path again for each one.
function refuseLongPaths(text: string): void {
  if (text.split('.').length > maxSteps + 1) throw new QueryMalformed(`A query has up to ${maxSteps} points.`);
}
