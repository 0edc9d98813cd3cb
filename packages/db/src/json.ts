import { sql } from 'kysely';

/** Returns a value for a jsonb column. Passed directly, pg would write a list as a PostgreSQL array. */
export function asJson<Value>(value: Value) {
  return sql<Value>`${JSON.stringify(value)}::jsonb`;
}
