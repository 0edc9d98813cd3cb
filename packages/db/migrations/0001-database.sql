-- The basis of everything else: column types for secrets, tenant isolation, the job queue, the list of running
-- processes, and what they share.

comment on table migrations is 'The migrations that were applied to this database, each with the hash of its file.';

-- Types for secrets: the database itself refuses plain text that is written to such a column by mistake.
create domain hashed_secret as text check (value ~ '^[0-9a-f]{64}$');
create domain sealed_secret as text check (value ~ '^v1\.[A-Za-z0-9_-]{1,32}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$');

-- Tenant isolation. A tenant's queries run under a login of their own, which owns nothing, so row-level security applies
-- to it. The login that owns the tables is the system, and bypasses the policies as their owner.
-- A policy calls its function as `(select …)`: once for each statement instead of for each row, so that it can use an index.

-- The server sets the tenant of a transaction, with a proof that SQL cannot forge: an HMAC-SHA256 under this key of the
-- transaction, a purpose and the claim. Only the owner of the tables can read the key, and can read every row anyway.
create table tenant_login_key (
  id int primary key check (id = 1),
  inner_pad bytea not null check (length(inner_pad) = 64),
  outer_pad bytea not null check (length(outer_pad) = 64)
);
comment on table tenant_login_key is 'The key with which the server proves the tenant of a transaction.';
comment on column tenant_login_key.inner_pad is 'The inner pad of HMAC (RFC 2104), already mixed with the key.';
comment on column tenant_login_key.outer_pad is 'The outer pad of HMAC (RFC 2104), already mixed with the key.';

do $$
declare
  key bytea := sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
  inner_pad bytea := decode(repeat('36', 64), 'hex');
  outer_pad bytea := decode(repeat('5c', 64), 'hex');
begin
  for i in 0..31 loop
    inner_pad := set_byte(inner_pad, i, get_byte(key, i) # get_byte(inner_pad, i));
    outer_pad := set_byte(outer_pad, i, get_byte(key, i) # get_byte(outer_pad, i));
  end loop;
  insert into tenant_login_key values (1, inner_pad, outer_pad);
end
$$;

-- The bodies of these functions are bound when they are created, so a search path cannot redirect them.

-- What a proof is bound to: this transaction of this connection. A later transaction, even one started by injected SQL,
-- has another start time: that of the message that started it.
create function tenant_challenge() returns text language sql stable parallel restricted
  return pg_backend_pid() || '/' || extract(epoch from transaction_timestamp());

create function is_proven(purpose text, said text, proof text) returns boolean
  language sql stable parallel restricted security definer
  return (
    select proof = encode(sha256(k.outer_pad || sha256(k.inner_pad || convert_to(
      tenant_challenge() || '/' || purpose || '/' || said, 'UTF8'))), 'hex')
    from tenant_login_key k
  );

-- The tenant of this transaction, or null unless the setting starts with a valid proof.
create function current_tenant() returns text
  language sql stable parallel restricted security definer
  return (
    select substr(s.said, 65)
    from tenant_login_key k, (select current_setting('latchkey.tenant', true) as said) as s
    where length(s.said) > 64 and left(s.said, 64) = encode(sha256(k.outer_pad || sha256(k.inner_pad || convert_to(
      tenant_challenge() || '/tenant/' || substr(s.said, 65), 'UTF8'))), 'hex')
  );

-- The job queue.
create table jobs (
  id bigint generated always as identity primary key,
  name text collate "C" not null,
  key text collate "C",
  group_id text collate "C" not null default '',
  unique_key text collate "C",
  payload jsonb not null,
  state text collate "C" not null default 'ready'
    check (state in ('delayed', 'ready', 'blocked', 'running', 'dead')),
  run_at timestamptz not null default now(),
  failures integer not null default 0,
  crashes integer not null default 0,
  again boolean not null default false,
  lease_owner bigint,
  lease_token bigint not null default 0,
  lease_until timestamptz,
  last_error text,
  created_at timestamptz not null default now(),
  died_at timestamptz,
  request_id text,
  trace_parent text,
  check ((state = 'running') = (lease_owner is not null))
) with (
  -- Every job leaves two dead rows behind: with the default of a fifth of the table, they would bloat the indexes.
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0
);
comment on table jobs is 'Background work. A finished job is deleted; the remaining ones are waiting, running or dead.';
comment on column jobs.key is 'Jobs with the same name and key run one after the other, in the order of their ids.';
comment on column jobs.group_id is 'Groups take turns; an empty string means no group.';
comment on column jobs.unique_key is 'At most one unfinished job of a name has a given unique key.';
comment on column jobs.state is 'delayed: not due yet. ready: may be claimed. blocked: an older job with the same key must end first. running: leased to a worker. dead: given up; an operator may retry or delete it.';
comment on column jobs.crashes is 'How often a worker died while it ran this job.';
comment on column jobs.again is 'Enqueued again while it was running: it runs once more instead of being deleted.';
comment on column jobs.lease_owner is 'The number of the advisory lock that the worker holds as long as it lives.';
comment on column jobs.lease_token is 'The fencing token: increases with each claim, and only the latest claim may finish the job.';
comment on column jobs.request_id is 'The request that enqueued the job; null for scheduled jobs.';
comment on column jobs.trace_parent is 'The span of a trace that the job continues.';
create index jobs_ready on jobs (name, group_id, id) where state = 'ready';
create index jobs_delayed on jobs (run_at) where state = 'delayed';
create index jobs_running on jobs (name, group_id) where state = 'running';
create index jobs_dead on jobs (id) where state = 'dead';
create index jobs_by_key on jobs (name, key, state, id) where key is not null and state <> 'dead';
-- Two jobs with the same key never run at once, even if two workers claim them at the same time.
create unique index jobs_one_running_per_key on jobs (name, key) where state = 'running' and key is not null;
create unique index jobs_unique on jobs (name, unique_key) where unique_key is not null and state <> 'dead';

-- When a job with a key ends, the next blocked one becomes ready. A trigger covers every way of ending a job, in the
-- same transaction. A connection plans it once, perhaps while the table is small; these settings keep that plan right
-- for a large one.
create function unblock_next_job() returns trigger language plpgsql
set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  -- A transaction with an older snapshot could miss a job that was just blocked, which would then wait forever.
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

-- Jobs run with the rights of the system, so a tenant's transaction can enqueue only jobs that the server proves it
-- requested.
create function refuse_unproven() returns jsonb language plpgsql as $$
begin
  raise insufficient_privilege using message = 'Only the server may ask for this.';
end
$$;

-- Does for a tenant what `enqueue` in packages/db does for the system.
create function enqueue_jobs(asked text, proof text) returns table (id bigint, state text, again boolean)
  language sql security definer
begin atomic
  insert into jobs (name, key, group_id, unique_key, payload, run_at, state, request_id, trace_parent)
  select g.name, g.key, coalesce(g.group_id, ''), g.unique_key, coalesce(g.payload, 'null'), d.due,
    case when d.due > clock_timestamp() then 'delayed' else 'ready' end, g.request_id, g.trace_parent
  from rows from (
    jsonb_to_recordset(case when is_proven('jobs', asked, proof) then asked::jsonb else refuse_unproven() end)
    as (name text, key text, group_id text, unique_key text, payload jsonb, delay_seconds float8, run_at timestamptz,
      request_id text, trace_parent text)
  ) with ordinality as g (
    name, key, group_id, unique_key, payload, delay_seconds, run_at, request_id, trace_parent, position
  ),
  lateral (
    select coalesce(g.run_at, clock_timestamp() + make_interval(secs => coalesce(g.delay_seconds, 0)))
  ) as d (due)
  order by g.unique_key nulls first, g.position
  on conflict (name, unique_key) where unique_key is not null and state <> 'dead'
  do update set again = true where jobs.state = 'running'
  returning jobs.id, jobs.state, jobs.again;
end;

create table schedules (
  name text primary key,
  cron text not null,
  next_run_at timestamptz not null
);
comment on table schedules is 'Recurring jobs. The process that moves next_run_at forward enqueues that run.';

-- When PostgreSQL restarts or fails over, every worker loses its connection, and with it the lock that shows that it is
-- alive. That must not count as a crash of its jobs, so workers need to tell one run of the database from the next.
create table database_eras (
  era text primary key,
  begun_at timestamptz not null
);
comment on table database_eras is 'Each period in which PostgreSQL ran without a restart or failover.';

-- The start time and the timeline, which counts failovers. Some hosted databases hide their timeline; there, the start
-- time has to suffice.
create function database_era() returns text language plpgsql stable as $$
declare
  started text := extract(epoch from pg_postmaster_start_time())::text;
begin
  return started || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8);
exception when others then
  return started;
end
$$;

-- Running processes and what they share.
create table processes (
  id text primary key,
  server_type text not null,
  server_sub_type text not null default '',
  host_name text not null,
  pid integer not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  log_level text not null default 'info',
  debug_settings text not null default '',
  log_version bigint not null default 0,
  base_url text,
  endpoints jsonb not null default '[]',
  faults jsonb not null default '{}'
);
comment on table processes is 'Running processes, each of which updates its row as a heartbeat.';
comment on column processes.log_version is 'The newest log settings that this process has applied.';
comment on column processes.base_url is 'The public address of a server, for links and tokens that operator commands create.';
comment on column processes.endpoints is 'How well each chain endpoint responds. Endpoints are named by their position in the settings, since a URL may contain a key.';
comment on column processes.faults is 'Recent problems that an operator should know about, such as malformed responses or shards that a chat platform rejects.';
create index processes_seen_at on processes (seen_at);

create sequence lease_tokens;
create table leases (
  name text primary key check (length(name) between 1 and 200),
  owner text not null,
  token bigint not null,
  until timestamptz not null
);
comment on table leases is 'Which process holds which continuous task, by the database’s clock.';
comment on column leases.token is 'The fencing token: never reused, and higher with each holder, so that writes of earlier holders are rejected.';

create table paces (
  name text primary key check (length(name) between 1 and 200),
  next_at timestamptz not null
);
comment on table paces is 'When a rate-limited action that all processes share may happen next, such as starting a bot session.';

create table call_budgets (
  name text primary key check (length(name) between 1 and 200),
  blocked_until timestamptz
);
comment on table call_budgets is 'The rate limit of each bot, shared by all processes. Changing shares locks the bot’s row.';
comment on column call_budgets.blocked_until is 'No calls before this time: the platform rejected all calls.';

create table call_shares (
  name text not null references call_budgets,
  owner text not null,
  places int not null check (places >= 0),
  wanted int not null,
  until timestamptz not null,
  urgent int not null default 50,
  primary key (name, owner)
);
comment on table call_shares is 'How many concurrent calls of a bot each process may make, and how many it requested.';
comment on column call_shares.urgent is 'How many of the requested calls are urgent; reads that only verify a write yield to the writes of others.';

create table call_blocks (
  name text not null references call_budgets,
  route text not null check (length(route) <= 500),
  until timestamptz not null,
  primary key (name, route)
);
comment on table call_blocks is 'Routes that the platform has rate-limited, and until when.';

create table call_refusals (
  name text not null references call_budgets,
  minute timestamptz not null,
  count int not null,
  primary key (name, minute)
);
comment on table call_refusals is 'Rejected calls per minute: after too many, a platform bans the IP address.';

create table call_returns (
  name text not null references call_budgets,
  until timestamptz not null,
  places int not null check (places > 0),
  primary key (name, until)
);
comment on table call_returns is 'Shares that a process returned while their calls still count: they are available again at this time.';

-- What the HTTP pipeline stores about requests.
create table idempotent_requests (
  caller text not null,
  key_hash hashed_secret not null,
  request_hash hashed_secret not null,
  status int,
  answer sealed_secret,
  created_at timestamptz not null,
  primary key (caller, key_hash)
);
comment on table idempotent_requests is 'Responses to requests with an idempotency key, to be replayed on a retry.';
comment on column idempotent_requests.answer is 'Sealed, since a response may contain a key that is shown only once.';
create index idempotent_requests_age on idempotent_requests (created_at);
alter table idempotent_requests enable row level security;
create policy tenant on idempotent_requests
  using (caller = (select current_tenant())) with check (caller = (select current_tenant()));

-- Unlogged: losing the counters in a crash only starts a new window.
create unlogged table rate_windows (
  bucket text not null,
  window_start timestamptz not null,
  used bigint not null,
  primary key (bucket, window_start)
);
comment on table rate_windows is 'Rate-limit counters, shared by all servers.';
create index rate_windows_age on rate_windows (window_start);

create table sample_world (
  id int primary key check (id = 1),
  noted_at timestamptz not null
);
comment on table sample_world is 'One row if the sample community was ever added to this database. Its accounts are public, so a start without it removes them.';
alter table sample_world enable row level security;
create policy tenant on sample_world
  using ('' = (select current_tenant())) with check ('' = (select current_tenant()));
