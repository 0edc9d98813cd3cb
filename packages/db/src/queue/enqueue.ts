import type { JobKind } from '@latchkey/kernel';
import { type RawBuilder, sql as raw } from 'kysely';
import type { Sql } from '../database.ts';
import { currentOrigin } from '../origin.ts';
import { proofIn } from '../tenant-login/tenant-transactions.ts';

/** The channel that notifies workers of new jobs. */
export const wakeChannel = 'latchkey_jobs';

/** What `enqueue` needs to know about a kind: its name, and the type of its payload. */
export type Enqueueable<Payload> = Pick<JobKind<Payload>, 'name' | 'payload'>;

export interface EnqueueOptions {
  /**
   * Jobs of one kind and key run one at a time, in the order they were enqueued. One that fails holds back the rest.
   */
  key?: string;
  /** Groups of a kind take turns, and the kind's `maxRunningPerGroup` applies to each. */
  group?: string;
  delaySeconds?: number;
  /** An alternative to `delaySeconds`. */
  runAt?: Date;
  /**
   * While a job of this kind with the same unique key is waiting, no second one is added: it will start after this
   * transaction has ended and so sees its changes. One that is already running is run once more.
   */
  uniqueKey?: string;
}

export interface NewJob<Payload> extends EnqueueOptions {
  payload: Payload;
}

/**
 * Adds a job. With a transaction, the job appears if and only if the transaction commits. Returns undefined if a job
 * with the same unique key already exists.
 */
export async function enqueue<Payload>(
  sql: Sql,
  kind: Enqueueable<Payload>,
  payload: NoInfer<Payload>,
  options: EnqueueOptions = {},
): Promise<{ id: string } | undefined> {
  const job = { ...options, payload };
  const [id] = (await askForJobs(sql, kind.name, [job])) ?? (await insertJobs(sql, oneRow(kind.name, job)));
  return id === undefined ? undefined : { id: String(id) };
}

/**
 * Adds thousands of jobs of one kind in one statement, and returns how many are new. Jobs of one key keep the order of
 * the list, as long as they have no unique keys.
 */
export async function enqueueMany<Payload>(
  sql: Sql,
  kind: Enqueueable<Payload>,
  jobs: readonly NewJob<NoInfer<Payload>>[],
): Promise<number> {
  if (jobs.length === 0) return 0;
  const fresh = dropRepeats(jobs);
  const ids = (await askForJobs(sql, kind.name, fresh)) ?? (await insertJobs(sql, manyRows(kind.name, fresh)));
  return ids.length;
}

// PostgreSQL refuses a statement that has the same unique key twice.
function dropRepeats<Job extends EnqueueOptions>(jobs: readonly Job[]): Job[] {
  const seen = new Set<string>();
  return jobs.filter(({ uniqueKey }) => {
    if (uniqueKey === undefined) return true;
    if (seen.has(uniqueKey)) return false;
    seen.add(uniqueKey);
    return true;
  });
}

// On a repeated unique key, DO UPDATE rather than DO NOTHING: it locks the waiting job, so that it cannot start, and
// miss this transaction's changes, before this transaction ends. Equal notifications of one transaction are sent once.
async function insertJobs(sql: Sql, rows: RawBuilder<unknown>): Promise<number[]> {
  const added = await raw<{ id: number }>`
    with added as (
      insert into jobs (name, key, group_id, unique_key, payload, run_at, state, request_id, trace_parent) ${rows}
      on conflict (name, unique_key) where unique_key is not null and state <> 'dead'
      do update set again = true where jobs.state = 'running'
      returning id, again, state
    )
    select id, pg_notify(${wakeChannel}, state) from added where not again`.execute(sql);
  return added.rows.map((row) => row.id);
}

/**
 * Enqueues jobs in a tenant's transaction: the database adds them only for a caller that can prove to be the server.
 */
async function askForJobs(
  sql: Sql,
  name: string,
  jobs: readonly NewJob<unknown>[],
): Promise<readonly number[] | undefined> {
  const prove = proofIn(sql);
  if (prove === undefined) return undefined;
  const requested = JSON.stringify(jobs.map((job) => ({ name, ...toRow(job) })));
  const added = await raw<{ id: number }>`
    select id, pg_notify(${wakeChannel}, state) from enqueue_jobs(${requested}, ${prove('jobs', requested)})
    where not again`.execute(sql);
  return added.rows.map((row) => row.id);
}

function oneRow(name: string, job: NewJob<unknown>): RawBuilder<unknown> {
  const payload = JSON.stringify(job.payload ?? null);
  const { request_id, trace_parent } = originColumns();
  return raw`
    select ${name}, ${job.key}::text, ${job.group ?? ''}, ${job.uniqueKey}::text, ${payload}::jsonb, due, ${stateAt},
      ${request_id}::text, ${trace_parent}::text
    from ${dueOf(raw`${job.runAt}::timestamptz`, raw`${job.delaySeconds ?? 0}::float8`)}`;
}

// Unique keys are sorted, so that two large lists cannot deadlock.
function manyRows(name: string, jobs: readonly NewJob<unknown>[]): RawBuilder<unknown> {
  return raw`
    select ${name}, key, coalesce(group_id, ''), unique_key, coalesce(payload, 'null'), due, ${stateAt},
      request_id, trace_parent
    from rows from (
      jsonb_to_recordset(${JSON.stringify(jobs.map(toRow))}::jsonb)
      as (key text, group_id text, unique_key text, payload jsonb, delay_seconds float8, run_at timestamptz,
        request_id text, trace_parent text)
    ) with ordinality as given (
      key, group_id, unique_key, payload, delay_seconds, run_at, request_id, trace_parent, position
    ),
    lateral ${dueOf(raw`run_at`, raw`coalesce(delay_seconds, 0)`)}
    order by unique_key nulls first, position`;
}

const stateAt = raw`case when due > clock_timestamp() then 'delayed' else 'ready' end`;

function dueOf(runAt: RawBuilder<unknown>, delaySeconds: RawBuilder<unknown>): RawBuilder<unknown> {
  return raw`(select coalesce(${runAt}, clock_timestamp() + make_interval(secs => ${delaySeconds}))) as t (due)`;
}

function toRow(job: NewJob<unknown>): Record<string, unknown> {
  return {
    key: job.key,
    group_id: job.group,
    unique_key: job.uniqueKey,
    payload: job.payload,
    delay_seconds: job.delaySeconds,
    run_at: job.runAt,
    ...originColumns(),
  };
}

/** A job belongs to the request that caused it. */
function originColumns(): { request_id: string | undefined; trace_parent: string | undefined } {
  const origin = currentOrigin();
  return { request_id: origin?.requestId, trace_parent: origin?.span?.traceParent };
}
