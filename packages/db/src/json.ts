import { sql } from 'kysely';

/** A value for a jsonb column. Given as it is, pg would write a list as an array of PostgreSQL. */
export function asJson<Value>(value: Value) {
  return sql<Value>`${JSON.stringify(value)}::jsonb`;
}
