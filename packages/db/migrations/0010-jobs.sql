-- Work to be done later. A finished job is deleted; what is left is waiting, running or given up.
--   delayed  its time has not come (asked for later, or waiting for another try)
--   ready    may be taken now
--   blocked  an older job of the same key must end first
--   running  leased to a worker
--   dead     given up; an operator may retry or delete it
create table jobs (
  id bigint generated always as identity primary key,
  name text collate "C" not null,
  -- Jobs of one name and key run one after the other, in the order of their ids.
  key text collate "C",
  -- Groups take turns; '' is the group of jobs that belong to none.
  group_id text collate "C" not null default '',
  -- At most one unfinished job of a name has a given unique key.
  unique_key text collate "C",
  payload jsonb not null,
  state text collate "C" not null default 'ready'
    check (state in ('delayed', 'ready', 'blocked', 'running', 'dead')),
  run_at timestamptz not null default now(),
  failures integer not null default 0,
  -- How often a worker vanished while it ran this job.
  crashes integer not null default 0,
  -- Asked for again while it was running: it runs once more instead of being deleted.
  again boolean not null default false,
  -- The number of the advisory lock that the worker holds for as long as it lives.
  lease_owner bigint,
  -- The fencing number: grows with each claim, and only the claim that has it may end the job.
  lease_token bigint not null default 0,
  lease_until timestamptz,
  last_error text,
  created_at timestamptz not null default now(),
  died_at timestamptz,
  check ((state = 'running') = (lease_owner is not null))
) with (
  -- Every job leaves two dead rows behind, so waiting for a fifth of the table would let the indexes fill up with them.
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0
);

create index jobs_ready on jobs (name, group_id, id) where state = 'ready';
create index jobs_delayed on jobs (run_at) where state = 'delayed';
create index jobs_running on jobs (name, group_id) where state = 'running';
create index jobs_dead on jobs (id) where state = 'dead';
create index jobs_by_key on jobs (name, key, state, id) where key is not null and state <> 'dead';
-- Two jobs of one key can never run at once, whatever two workers saw at the same moment.
create unique index jobs_one_running_per_key on jobs (name, key) where state = 'running' and key is not null;
create unique index jobs_unique on jobs (name, unique_key) where unique_key is not null and state <> 'dead';

-- When a job of a key ends, the next one that was set aside becomes ready. This is a trigger so that every way of
-- ending a job does it, in the same transaction.
-- A connection plans it once, perhaps while the table is small; the settings make that plan right for a large one too.
create function unblock_next_job() returns trigger language plpgsql
set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  -- A transaction with an older snapshot could miss a job that was set aside a moment ago, which would then wait forever.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'Finish a job that has a key in a read committed transaction.';
  end if;
  update jobs set state = 'ready'
  where id = (
    select id from jobs where name = old.name and key = old.key and state = 'blocked' order by id limit 1
  );
  return null;
end
$$;

create trigger jobs_unblock_after_finish after delete on jobs
  for each row when (old.key is not null and old.state <> 'dead') execute function unblock_next_job();
create trigger jobs_unblock_after_death after update of state on jobs
  for each row when (old.key is not null and new.state = 'dead') execute function unblock_next_job();

-- One row for each schedule; whoever moves next_run_at forward enqueues that run.
create table schedules (
  name text primary key,
  cron text not null,
  next_run_at timestamptz not null
);
