-- Every try to deliver an event, for the developer who looks for what went wrong.
create table webhook_attempts (
  delivery_id text not null references webhook_deliveries (id) on delete cascade,
  owner_id text not null,
  round integer not null,
  attempt integer not null,
  status integer,
  reason text not null,
  took_ms integer not null check (took_ms >= 0),
  attempted_at timestamptz not null,
  primary key (delivery_id, round, attempt)
);
create index webhook_attempts_owner on webhook_attempts (owner_id);
alter table webhook_attempts enable row level security;
create policy tenant on webhook_attempts using (owner_id = (select current_tenant()));

create index webhook_deliveries_unsent on webhook_deliveries (client_id, created_at, id)
  where status in ('failed', 'disabled');

-- While a secret is replaced, messages carry a signature of the old one too. Tests of a webhook are counted by their time.
alter table webhook_endpoints
  add column old_secret sealed_secret,
  add column old_secret_ends_at timestamptz,
  add column tested_at timestamptz,
  add check ((old_secret is null) = (old_secret_ends_at is null));
