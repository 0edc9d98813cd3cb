import { sql as raw } from 'kysely';
import type { Sql } from '../database.ts';

/**
 * Deletes the jobs with one of these texts, as a whole value, in their payload or keys: those of some kinds, or all. A
 * running job is left to its worker, which deletes it when it ends. Returns how many of those there are.
 */
export async function deleteJobsNaming(
  sql: Sql,
  texts: readonly string[],
  { kinds }: { kinds?: readonly string[] } = {},
): Promise<{ running: number }> {
  const { rows } = await raw<{ running: number }>`
    with naming as (
      select id, state from jobs
      where (${kinds === undefined} or name = any(${kinds ?? []}::text[])) and (
        key = any(${texts}::text[]) or unique_key = any(${texts}::text[]) or group_id = any(${texts}::text[])
        or jsonb_path_exists(payload, '$.** ? (@ == $text[*])', jsonb_build_object('text', ${JSON.stringify(texts)}::jsonb))
      )
      for update
    ),
    gone as (delete from jobs using naming where jobs.id = naming.id and naming.state <> 'running')
    select count(*) as running from naming where state = 'running'`.execute(sql);
  return { running: rows[0]?.running ?? 0 };
}
