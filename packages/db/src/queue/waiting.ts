import { sql as raw } from 'kysely';
import type { Sql } from '../database.ts';

/** For how many seconds the job that waits longest could have run; undefined when none waits. */
export async function longestWaitSeconds(sql: Sql): Promise<number | undefined> {
  const { rows } = await raw<{ seconds: number | null }>`
    select extract(epoch from now() - min(run_at))::float8 as seconds from jobs where state = 'ready'`.execute(sql);
  return rows[0]?.seconds ?? undefined;
}
