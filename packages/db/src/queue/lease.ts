import type { Random } from '@latchkey/kernel';
import type { Session } from '../bus/session.ts';
import type { Lease } from './finish.ts';

/** The identity of a worker, for as long as its connection lives. */
export interface Identity {
  session: Session;
  owner: number;
}

// Any constant works, as long as every worker uses the same one.
const lockSpace = 4_817_224;

const mostCrashes = 10;

/** Takes the advisory lock that marks this worker as alive. The lock is released as soon as the connection ends. */
export async function takeIdentity(session: Session, random: Random): Promise<number> {
  for (;;) {
    const owner = Buffer.from(random.bytes(4)).readInt32BE() & 0x7fff_ffff;
    const [row] = await session.query<{ taken: boolean }>('select pg_try_advisory_lock($1, $2) as taken', [
      lockSpace,
      owner,
    ]);
    if (row?.taken) return owner;
  }
}

/**
 * Extends leases and returns the ids that are still held. A locked row is being finished by its own run, so it needs no
 * extension and is skipped.
 */
export async function extendLeases(
  session: Session,
  leases: readonly Lease[],
  leaseSeconds: number,
): Promise<Set<number>> {
  const rows = await session.query<{ id: number }>(
    `with mine as (
       select j.id from unnest($1::bigint[], $2::bigint[]) as l (id, token) join jobs j on j.id = l.id
       where j.lease_token = l.token and j.lease_owner is not null
     ),
     extended as (
       update jobs set lease_until = now() + make_interval(secs => $3)
       where id in (select id from jobs where id in (select id from mine) for update skip locked) and lease_owner is not null
     )
     select id from mine`,
    [leases.map((lease) => lease.id), leases.map((lease) => lease.token), leaseSeconds],
  );
  return new Set(rows.map((row) => row.id));
}

/**
 * Frees the jobs of workers that died (their lock is gone) or hang (their lease expired). A job that repeatedly crashes
 * its worker waits longer each time, and is finally given up. Shortly after a restart or a failover of the database,
 * which releases every lock, no crash is counted.
 */
export async function freeLostJobs(session: Session): Promise<number> {
  const rows = await session.query<{ id: number }>(
    `update jobs set
       state = case when is_fresh then 'ready' when crashes + 1 >= $2 then 'dead' when crashes < 3 then 'ready'
         else 'delayed' end,
       run_at = now() + make_interval(secs => case when is_fresh or crashes < 3 then 0 else 2 ^ (crashes - 2) end),
       crashes = crashes + case when is_fresh then 0 else 1 end,
       died_at = case when not is_fresh and crashes + 1 >= $2 then now() end,
       last_error = case when is_fresh then 'The database restarted or failed over while this job ran.'
         else 'The worker vanished or hung while it ran this job.' end,
       lease_owner = null, lease_until = null
     from (
       select coalesce(max(begun_at), '-infinity') > now() - make_interval(secs => $3) as is_fresh from database_eras
     ) as era
     where id in (
       select id from jobs where state = 'running' and (
         lease_until < now()
         or lease_owner not in (
           select objid::bigint from pg_locks
           where locktype = 'advisory' and classid = $1 and objsubid = 2 and granted
             and database = (select oid from pg_database where datname = current_database())
         )
       )
       for update skip locked
     )
     returning id`,
    [lockSpace, mostCrashes, graceSeconds],
  );
  return rows.length;
}

/** Makes due jobs ready, and returns in how many milliseconds the next one is due. */
export async function readyDueJobs(session: Session): Promise<number | undefined> {
  const [row] = await session.query<{ nextMs: number | null }>(
    `with due as (
       update jobs set state = 'ready' where id in (
         select id from jobs where state = 'delayed' and run_at <= now()
         order by run_at limit 1000 for update skip locked
       )
       returning id
     )
     select case when (select count(*) from due) = 1000 then 0 else (
       select ceil(extract(epoch from run_at - now()) * 1000)::float8 from jobs
       where state = 'delayed' and run_at > now() order by run_at limit 1
     ) end as "nextMs"`,
  );
  return row?.nextMs ?? undefined;
}

/** How long after a restart or a failover the loss of its worker does not count against a job. */
const graceSeconds = 30;

/**
 * Records the database run that this session is part of. The first one ever recorded has no start time: there is no
 * sign that any worker lost a connection then.
 */
export async function noteEra(session: Session): Promise<void> {
  await session.query(
    `insert into database_eras (era, begun_at)
     select database_era(), case when exists (select from database_eras) then clock_timestamp() else '-infinity' end
     on conflict do nothing`,
  );
}
