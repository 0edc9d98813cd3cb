-- The latest calls of each application, for its developer. Lines are written in batches and deleted after days; they hold
-- the pattern of the path and never what was sent or answered.
create table app_calls (
  id bigint generated always as identity primary key,
  client_id text not null references client_apps (id) on delete cascade,
  owner_id text not null,
  called_at timestamptz not null,
  method text not null,
  route text not null,
  status integer not null,
  error_code text,
  took_ms integer not null,
  request_id text not null,
  credential text not null check (credential in ('api-key', 'old-api-key', 'token'))
);
create index app_calls_client on app_calls (client_id, called_at desc, id desc);
create index app_calls_owner on app_calls (owner_id);
create index app_calls_age on app_calls (called_at);
alter table app_calls enable row level security;
create policy tenant on app_calls for select using (owner_id = (select current_tenant()));

-- How many calls an application made on each day, and when its keys were last used.
create table app_call_days (
  client_id text not null references client_apps (id) on delete cascade,
  owner_id text not null,
  day date not null,
  calls bigint not null,
  refused bigint not null,
  failed bigint not null,
  primary key (client_id, day)
);
create index app_call_days_owner on app_call_days (owner_id);
alter table app_call_days enable row level security;
create policy tenant on app_call_days for select using (owner_id = (select current_tenant()));

create table app_key_uses (
  client_id text primary key references client_apps (id) on delete cascade,
  owner_id text not null,
  key_used_at timestamptz,
  old_key_used_at timestamptz
);
create index app_key_uses_owner on app_key_uses (owner_id);
alter table app_key_uses enable row level security;
create policy tenant on app_key_uses for select using (owner_id = (select current_tenant()));
