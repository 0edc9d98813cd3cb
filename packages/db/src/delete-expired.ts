import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

// Small enough that a batch holds its locks for milliseconds and stays far below the statement timeout.
const batchSize = 5_000;

/** Deletes the rows whose time is before `before`, in batches, until the signal aborts. Returns how many were deleted. */
export async function deleteExpired(
  db: Kysely<Tables>,
  table: keyof Tables & string,
  column: string,
  before: Date,
  signal?: AbortSignal,
): Promise<number> {
  let total = 0;
  let deleted = batchSize;
  while (deleted === batchSize && signal?.aborted !== true) {
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where ${sql.ref(column)} < ${before} limit ${batchSize}))`.execute(db);
    deleted = Number(numAffectedRows ?? 0);
    total += deleted;
  }
  return total;
}
