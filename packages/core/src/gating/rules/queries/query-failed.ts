/**
 * A query without a result: it failed on its input, hit a limit, used an unsupported feature, or could not be run. It
 * decides nothing.
 */
export class QueryFailed extends Error {
  override readonly name = 'QueryFailed';
  readonly kind: 'input' | 'limit' | 'refused' | 'fault';

  constructor(message: string, kind: QueryFailed['kind'] = 'input') {
    super(message);
    this.kind = kind;
  }
}

// JSONata's error codes for depth and for the two list size limits.
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
