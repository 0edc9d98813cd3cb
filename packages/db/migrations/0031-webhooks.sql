-- Where a client application wants to hear of events. It outlives its application until the last events are out.
create table webhook_endpoints (
  client_id text primary key,
  owner_id text not null,
  url text not null,
  secret sealed_secret not null,
  subscribe_events text[] not null,
  created_at timestamptz not null,
  disabled_at timestamptz,
  disabled_reason text,
  -- The application is gone: what was sent on its way still arrives, nothing new is added.
  retired_at timestamptz
);
create index webhook_endpoints_by_owner on webhook_endpoints (owner_id);
create index webhook_endpoints_retired on webhook_endpoints (retired_at) where retired_at is not null;

-- The outbox: an event is written in the same transaction as the change it tells of.
create table events (
  id text primary key,
  type text not null,
  owner_id text not null,
  -- The application the event is about; null when it concerns every application of the owner.
  client_id text,
  -- The exact text that is signed and sent, the same on every attempt.
  body text not null,
  created_at timestamptz not null
);
create index events_age on events (created_at);

-- One row for each event and receiver: the log of attempts, and the guard against sending twice.
create table webhook_deliveries (
  id text primary key,
  event_id text not null references events (id) on delete cascade,
  client_id text not null,
  owner_id text not null,
  -- Grows when somebody asks for another delivery; jobs of an earlier round then do nothing.
  round integer not null,
  attempts integer not null,
  status text not null check (status in ('pending', 'delivered', 'failed', 'disabled')),
  last_status integer,
  last_reason text,
  last_attempt_at timestamptz,
  delivered_at timestamptz,
  created_at timestamptz not null,
  unique (event_id, client_id)
);
create index webhook_deliveries_by_client on webhook_deliveries (client_id, created_at desc, id desc);

alter table webhook_endpoints enable row level security;
alter table webhook_endpoints force row level security;
create policy tenant on webhook_endpoints using (sees(owner_id)) with check (sees(owner_id));
alter table events enable row level security;
alter table events force row level security;
create policy tenant on events using (sees(owner_id)) with check (sees(owner_id));
alter table webhook_deliveries enable row level security;
alter table webhook_deliveries force row level security;
create policy tenant on webhook_deliveries using (sees(owner_id)) with check (sees(owner_id));
