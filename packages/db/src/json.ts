import { sql } from 'kysely';

/** A value for a jsonb column. Passed directly, pg would write a list as a PostgreSQL array. */
export function asJson<Value>(value: Value) {
  return sql<Value>`${JSON.stringify(value)}::jsonb`;
}
