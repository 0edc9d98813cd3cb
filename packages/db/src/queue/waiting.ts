import { sql as raw } from 'kysely';
import type { Sql } from '../database.ts';

/** Returns for how many seconds the longest-waiting job could have run; undefined if none waits. */
export async function longestWaitSeconds(sql: Sql): Promise<number | undefined> {
  const { rows } = await raw<{ seconds: number | null }>`
    select extract(epoch from now() - min(run_at))::float8 as seconds from jobs where state = 'ready'`.execute(sql);
  return rows[0]?.seconds ?? undefined;
}
