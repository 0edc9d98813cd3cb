import { sql as raw } from 'kysely';
import type { Sql } from '../database.ts';
import { wakeChannel } from './enqueue.ts';
import type { JobState } from './tables.ts';

/** A job that was given up. */
export interface DeadJob {
  id: string;
  name: string;
  key: string | undefined;
  group: string | undefined;
  payload: unknown;
  failures: number;
  lastError: string;
  createdAt: Date;
  diedAt: Date;
}

/** Lists dead jobs, newest first. `before` is the id of the last job of the previous page. */
export async function listDead(sql: Sql, page: { limit: number; before?: string; name?: string }): Promise<DeadJob[]> {
  let query = sql.selectFrom('jobs').selectAll().where('state', '=', 'dead').orderBy('id', 'desc').limit(page.limit);
  if (page.before !== undefined) query = query.where('id', '<', Number(page.before));
  if (page.name !== undefined) query = query.where('name', '=', page.name);
  const rows = await query.execute();
  return rows.map((row) => ({
    id: String(row.id),
    name: row.name,
    key: row.key ?? undefined,
    group: row.group_id || undefined,
    payload: row.payload,
    failures: row.failures,
    lastError: row.last_error ?? '',
    createdAt: row.created_at,
    diedAt: row.died_at ?? row.created_at,
  }));
}

/** A selection of dead jobs: one by its id, those with these ids, of one kind or both, or all of them. */
export type DeadJobs = string | { ids?: readonly string[] | undefined; name?: string | undefined };

function whichDead(jobs: DeadJobs) {
  if (typeof jobs === 'string') return jobs === 'all' ? raw`true` : raw`id = ${Number(jobs)}`;
  const { ids, name } = jobs;
  const byId = ids === undefined ? raw`true` : raw`id = any(${ids.map(Number)}::bigint[])`;
  return name === undefined ? byId : raw`${byId} and name = ${name}`;
}

/**
 * Makes dead jobs ready again with all their attempts, and returns how many. Their unique keys are cleared: another job
 * with the same one may be waiting by now.
 */
export async function retryDead(sql: Sql, jobs: DeadJobs): Promise<number> {
  const { rows } = await raw<{ retried: number }>`
    with retried as (
      update jobs set state = 'ready', failures = 0, crashes = 0, run_at = now(), unique_key = null, died_at = null
      where state = 'dead' and (${whichDead(jobs)})
      returning id
    )
    select count(*) as retried from retried, pg_notify(${wakeChannel}, 'ready')`.execute(sql);
  return rows[0]?.retried ?? 0;
}

/** Deletes one dead job, or all of them, and returns how many. */
export async function deleteDead(sql: Sql, id: string | 'all'): Promise<number> {
  let query = sql.deleteFrom('jobs').where('state', '=', 'dead');
  if (id !== 'all') query = query.where('id', '=', Number(id));
  const { numDeletedRows } = await query.executeTakeFirst();
  return Number(numDeletedRows);
}

/** Counts jobs by state. */
export async function countByState(sql: Sql): Promise<Record<JobState, number>> {
  const rows = await sql
    .selectFrom('jobs')
    .select((row) => ['state', row.fn.countAll<number>().as('jobs')])
    .groupBy('state')
    .execute();
  const none = { delayed: 0, ready: 0, blocked: 0, running: 0, dead: 0 };
  return { ...none, ...Object.fromEntries(rows.map((row) => [row.state, row.jobs])) };
}
