import { sql as raw } from 'kysely';
import type pg from 'pg';
import type { Sql } from '../database.ts';

/** One claim of one job: a later claim of the same job has another token. */
export interface Lease {
  id: number;
  token: number;
}

/**
 * The job was taken from this run: its lease expired, or its worker was considered dead. Nothing it did may be
 * committed.
 */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
  constructor(id: number | string) {
    super(`Job ${id} is no longer leased to this run, so its work must be rolled back.`);
  }
}

/** Finishes a job inside the transaction of its effect, so that both are committed or neither. Throws LeaseLost. */
export async function finishIn(tx: Sql, { id, token }: Lease): Promise<void> {
  const mine = raw<boolean>`id = ${id} and lease_token = ${token} and lease_owner is not null`;
  const deleted = await raw`delete from jobs where ${mine} and not again`.execute(tx);
  if (deleted.numAffectedRows === 1n) return;
  const repeated = await raw`
    update jobs set state = 'ready', again = false, failures = 0, run_at = now(), lease_owner = null, lease_until = null
    where ${mine} and again`.execute(tx);
  if (repeated.numAffectedRows !== 1n) throw new LeaseLost(id);
}

// `lease_owner is not null` is equivalent to `state = 'running'`, but keeps the planner from using the index of running
// jobs, which is full of jobs that have just ended. In batches, without waiting for rows that another transaction has
// locked: those are reported as `isHeld` and retried, so that one long transaction does not delay all others.
const finishSql = `
with ended as (
  select id, token from unnest($1::bigint[], $2::bigint[]) as e (id, token)
),
held as (
  select j.id, j.again from ended e join jobs j on j.id = e.id
  where j.lease_token = e.token and j.lease_owner is not null for update of j skip locked
),
finished as (delete from jobs where id in (select id from held where not again)),
repeated as (
  update jobs set state = 'ready', again = false, failures = 0, run_at = now(), lease_owner = null, lease_until = null
  where id in (select id from held where again)
)
select j.id, not exists (select from held where held.id = j.id) as "isHeld"
from ended e join jobs j on j.id = e.id where j.lease_token = e.token and j.lease_owner is not null`;

export interface FinishReport {
  finished: number[];
  /** Currently locked by another transaction. */
  held: number[];
}

/** Finishes many jobs in one statement. Jobs that are missing in the report were lost to another worker. */
export async function finishJobs(pool: pg.Pool, leases: readonly Lease[]): Promise<FinishReport> {
  const { rows } = await pool.query<{ id: number; isHeld: boolean }>(finishSql, columns(leases));
  return {
    finished: rows.filter((row) => !row.isHeld).map((row) => row.id),
    held: rows.filter((row) => row.isHeld).map((row) => row.id),
  };
}

export interface Failure extends Lease {
  /** When to retry; undefined gives the job up. */
  delaySeconds: number | undefined;
  reason: string;
}

// A job that was enqueued again while it ran is not given up: the later request gets its own attempts.
const failSql = `
update jobs set
  state = case when f.delay_seconds is not null then 'delayed' when again then 'ready' else 'dead' end,
  failures = case when f.delay_seconds is null and again then 0 else failures + 1 end,
  run_at = now() + make_interval(secs => coalesce(f.delay_seconds, 0)),
  died_at = case when f.delay_seconds is null and not again then now() end,
  again = false, last_error = f.reason, lease_owner = null, lease_until = null
from unnest($1::bigint[], $2::bigint[], $3::float8[], $4::text[]) as f (id, token, delay_seconds, reason)
where jobs.id = f.id and lease_token = f.token and lease_owner is not null
returning jobs.id`;

/** Records failed attempts. Returns the jobs that this worker still held. */
export async function failJobs(pool: pg.Pool, failures: readonly Failure[]): Promise<number[]> {
  const delays = failures.map((failure) => failure.delaySeconds ?? null);
  const reasons = failures.map((failure) => failure.reason);
  const { rows } = await pool.query<{ id: number }>(failSql, [...columns(failures), delays, reasons]);
  return rows.map((row) => row.id);
}

/** Releases jobs at shutdown: they are ready again at once, and it does not count as a failure. */
export async function releaseJobs(pool: pg.Pool, leases: readonly Lease[]): Promise<void> {
  await pool.query(
    `update jobs set state = 'ready', lease_owner = null, lease_until = null
     from unnest($1::bigint[], $2::bigint[]) as l (id, token)
     where jobs.id = l.id and lease_token = l.token and lease_owner is not null`,
    columns(leases),
  );
}

function columns(leases: readonly Lease[]): number[][] {
  return [leases.map((lease) => lease.id), leases.map((lease) => lease.token)];
}
