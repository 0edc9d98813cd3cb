/**
 * A query that gave no answer: it stumbled over its input, ran into a limit, uses what queries do not have, or could not
 * be run at all. It decides nothing.
 */
export class QueryFailed extends Error {
  override readonly name = 'QueryFailed';
  readonly kind: 'input' | 'limit' | 'refused' | 'fault';

  constructor(message: string, kind: QueryFailed['kind'] = 'input') {
    super(message);
    this.kind = kind;
  }
}

// Depth, and the two sizes of lists, as JSONata numbers them.
const limitCodes: readonly unknown[] = ['D1011', 'D2014', 'D2015'];
const maxMessageLength = 300;

export function toQueryFailed(error: unknown): QueryFailed {
  if (error instanceof QueryFailed) return error;
  const isLimit = error instanceof RangeError || limitCodes.includes(Object(error).code);
  const message = `The query failed: ${messageOf(error).slice(0, maxMessageLength)}`;
  return new QueryFailed(message, isLimit ? 'limit' : 'input');
}

// JSONata throws plain objects.
export function messageOf(error: unknown): string {
  const { message } = Object(error);
  return typeof message === 'string' ? message : 'no reason was given.';
}
