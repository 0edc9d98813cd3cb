import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** What was counted in the newest window of each bucket, as far as there is one. */
export async function readRateWindows(
  db: Kysely<Tables>,
  buckets: readonly string[],
): Promise<Map<string, { used: number; startedAt: Date }>> {
  const { rows } = await sql<{ bucket: string; used: number; startedAt: Date }>`
    select distinct on (bucket) bucket, used, window_start as "startedAt" from rate_windows
    where bucket = any(${buckets}::text[]) order by bucket, window_start desc`.execute(db);
  return new Map(rows.map(({ bucket, used, startedAt }) => [bucket, { used, startedAt }]));
}
