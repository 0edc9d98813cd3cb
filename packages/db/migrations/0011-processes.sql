-- The processes that run now, each writing down that it is alive.
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
  -- The newest log settings that this process has applied.
  log_version bigint not null default 0
);

create index processes_seen_at on processes (seen_at);
