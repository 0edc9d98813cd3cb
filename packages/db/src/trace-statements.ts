import type { LogEvent } from 'kysely';
import { openInner, type SpanStart } from './origin.ts';

const database = { 'db.system.name': 'postgresql' };

export function transactionSpan(): SpanStart {
  return { name: 'transaction', kind: 'client', facts: database };
}

/** Adds a statement to the current trace: its verb and table, never its text or values. */
export function traceStatement({ query, queryDurationMillis, level }: LogEvent): void {
  const span = openInner(() => {
    const [, verb = 'statement'] = /^\s*([a-z]+)/i.exec(query.sql) ?? [];
    const [, table] = /\b(?:from|into|update)\s+"?([a-z_]{1,63})\b/i.exec(query.sql) ?? [];
    const facts = {
      ...database,
      'db.operation.name': verb,
      ...(table !== undefined && { 'db.collection.name': table }),
    };
    const name = table === undefined ? verb : `${verb} ${table}`;
    return { name, kind: 'client', facts, startedMsAgo: queryDurationMillis };
  });
  span?.end(level === 'error' ? new Error('The statement failed.') : undefined);
}
