import type { JobKind } from '@latchkey/kernel';
import pg from 'pg';
import type { Session } from '../bus/session.ts';
import type { Identity } from './lease.ts';

export interface ClaimedJob {
  id: number;
  name: string;
  groupId: string;
  payload: unknown;
  failures: number;
  token: number;
  requestId: string | null;
  traceParent: string | null;
}

// `groups` walks from one group with ready jobs to the next through the index (first those after the last one served,
// then the rest), so a group with a million jobs costs as much as one with a single job. Only groups with room count
// towards the limit. `picked` locks candidates, about twice as many as needed, since each lock is a write; `more` means
// that this bound left jobs out. `free` are those with no other job of their key ahead. They are ranked so that groups
// take turns within a kind, and kinds take turns among themselves.
const claimSql = `
with recursive wanted as (
  select * from unnest($1::text[], $2::int[], $3::text[]) with ordinality as w (name, most, last_group, turn)
),
starts as (
  select w.*, 1 as lap, first.group_id from wanted w, lateral (
    select group_id from jobs where state = 'ready' and name = w.name and group_id > w.last_group
    order by group_id limit 1
  ) as first
  union all
  select w.*, 2, first.group_id from wanted w, lateral (
    select group_id from jobs where state = 'ready' and name = w.name order by group_id limit 1
  ) as first
  where first.group_id <= w.last_group
),
groups as (
  select s.*, r.room, (r.room > 0)::int as found from starts s, lateral (
    select case when s.group_id = '' then $4 else least(s.most - count(*), $4) end as room
    from jobs where state = 'running' and name = s.name and group_id = s.group_id
  ) as r
  union all
  select g.name, g.most, g.last_group, g.turn, g.lap, n.group_id, r.room, g.found + (r.room > 0)::int
  from groups g, lateral (
    select group_id from jobs where state = 'ready' and name = g.name and group_id > g.group_id
    order by group_id limit 1
  ) as n, lateral (
    select least(g.most - count(*), $4) as room
    from jobs where state = 'running' and name = g.name and group_id = n.group_id
  ) as r
  where g.found < $4 and (g.lap = 1 or n.group_id <= g.last_group)
),
shares as (
  select g.*, least(room, ceil(2.0 * $4 / count(*) over ()))::int as share from groups g where room > 0
),
picked as (
  select s.turn, s.lap, j.*, row_number() over (partition by s.name, s.group_id) = s.share and s.share < s.room as is_bound
  from shares s, lateral (
    select id, name, group_id, key from jobs
    where state = 'ready' and name = s.name and group_id = s.group_id
    order by id limit s.share for update skip locked
  ) as j
),
checked as (
  select p.*, p.key is not null and (
    exists (
      select from jobs where name = p.name and key = p.key and state in ('ready', 'delayed', 'blocked') and id < p.id
    )
    or exists (select from jobs where name = p.name and key = p.key and state = 'running')
  ) as is_blocked from picked p
),
free as (
  select c.*, row_number() over (partition by name, group_id order by id) as place
  from checked c where not is_blocked
),
chosen as (
  select id, row_number() over (order by round, turn) as rank from (
    select id, turn, row_number() over (partition by name order by place, lap, group_id) as round from free
  ) as ranked
  order by rank limit $4
),
taken as (
  update jobs set state = 'running', again = false, lease_owner = $5, lease_token = lease_token + 1,
    lease_until = now() + make_interval(secs => $6)
  from chosen where jobs.id = chosen.id
  returning chosen.rank, jobs.id, name, group_id as "groupId", payload, failures, lease_token as token,
    request_id as "requestId", trace_parent as "traceParent", false as "isBlocked"
)
select *, exists (select from picked where is_bound) as more from taken
union all
select null, id, name, group_id, null, null, null, null, null, true, false from checked where is_blocked
order by rank`;

// A job is blocked only while the job ahead of it is locked: that job cannot finish, and look for its successor, at the
// same time. Nothing here waits for a lock of another transaction.
const setAsideSql = `
with ahead as (
  select k.name, k.key, a.id, a.state from (
    select distinct name, key from jobs where id = any($1::bigint[])
  ) as k, unnest(array['running', 'delayed', 'ready']) as s (state), lateral (
    select id, state from jobs where name = k.name and key = k.key and state = s.state and state <> 'dead'
    order by id limit 1 for share skip locked
  ) as a
)
update jobs set state = 'blocked' where id in (
  select b.id from ahead a, lateral (
    select id from jobs where name = a.name and key = a.key and state = 'ready' and (a.state = 'running' or id > a.id)
    order by id limit 1000 for update skip locked
  ) as b
)
returning id`;

type Row = (ClaimedJob & { isBlocked: false; more: boolean }) | { isBlocked: true; id: number };

export interface Claimed {
  jobs: ClaimedJob[];
  /** Jobs that wait for another of their key. */
  blocked: number[];
  /** Whether there is more to claim. */
  more: boolean;
}

/** Claims up to `limit` ready jobs for a worker. */
export type Claim = (worker: Identity, limit: number) => Promise<Claimed>;

/**
 * Prepares claiming for one worker, which remembers whose turn it is: that of each kind, and within it of each group.
 */
export function startClaiming(kinds: readonly JobKind[], leaseSeconds: number): Claim {
  let turns = kinds.map((kind) => ({ name: kind.name, most: kind.maxRunningPerGroup, lastGroup: '' }));

  return async ({ session, owner }, limit) => {
    turns = [...turns.slice(1), ...turns.slice(0, 1)];
    const columns = [
      turns.map((turn) => turn.name),
      turns.map((turn) => turn.most),
      turns.map((turn) => turn.lastGroup),
    ];
    const rows = await claimRows(session, [...columns, limit, owner, leaseSeconds]);
    const jobs = rows.filter((row) => !row.isBlocked);
    for (const turn of turns) {
      turn.lastGroup = jobs.findLast((job) => job.name === turn.name)?.groupId ?? turn.lastGroup;
    }
    const blocked = rows.filter((row) => row.isBlocked).map((row) => row.id);
    return { jobs, blocked, more: jobs.length === limit || jobs.some((job) => job.more) };
  };
}

/** Marks jobs as blocked, and others of their keys, so that later claims skip them. Returns how many. */
export async function setAside(session: Session, blocked: readonly number[]): Promise<number> {
  const rows = await session.query<{ id: number }>(setAsideSql, [blocked], 'set-aside');
  return rows.length;
}

async function claimRows(session: Session, values: unknown[]): Promise<Row[]> {
  for (;;) {
    try {
      return await session.query<Row>(claimSql, values, 'claim');
    } catch (error) {
      // Two workers claimed two jobs of one key at the same time; on the second attempt this one sees the first one
      // running.
      if (!(error instanceof pg.DatabaseError && error.constraint === 'jobs_one_running_per_key')) throw error;
    }
  }
}
