-- Kept answers of requests belong to who asked.
alter table idempotent_requests enable row level security;
create policy tenant on idempotent_requests
  using (caller = (select current_tenant())) with check (caller = (select current_tenant()));

-- Whoever looks after a community may have its members looked at.
alter table reconcile_queue enable row level security;
create policy tenant on reconcile_queue
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));

-- Origins are copied with the rights of the system: a tenant writes its application, and nothing beside it.
create function copy_origins_of(client text) returns void language sql security definer
begin atomic
  delete from client_app_origins where client_id = client;
  insert into client_app_origins (origin, client_id)
    select distinct unnest(allowed_origins), id from client_apps where id = client and status in ('APPROVED', 'LISTED');
end;
create or replace function copy_client_app_origins() returns trigger language plpgsql as $$
begin
  perform copy_origins_of(new.id);
  return null;
end
$$;

-- Jobs run with the rights of the system, so a tenant's transaction adds only those that the server asks for, by proof.
create function refuse_unproven() returns jsonb language plpgsql as $$
begin
  raise insufficient_privilege using message = 'Only the server may ask for this.';
end
$$;

-- As `enqueue` of packages/db does it for the system.
create function enqueue_jobs(asked text, proof text) returns table (id bigint, state text, again boolean)
  language sql security definer
begin atomic
  insert into jobs (name, key, group_id, unique_key, payload, run_at, state)
  select g.name, g.key, coalesce(g.group_id, ''), g.unique_key, coalesce(g.payload, 'null'), d.due,
    case when d.due > clock_timestamp() then 'delayed' else 'ready' end
  from rows from (
    jsonb_to_recordset(case when is_proven('jobs', asked, proof) then asked::jsonb else refuse_unproven() end)
    as (name text, key text, group_id text, unique_key text, payload jsonb, delay_seconds float8, run_at timestamptz)
  ) with ordinality as g (name, key, group_id, unique_key, payload, delay_seconds, run_at, position),
  lateral (
    select coalesce(g.run_at, clock_timestamp() + make_interval(secs => coalesce(g.delay_seconds, 0)))
  ) as d (due)
  order by g.unique_key nulls first, g.position
  on conflict (name, unique_key) where unique_key is not null and state <> 'dead'
  do update set again = true where jobs.state = 'running'
  returning jobs.id, jobs.state, jobs.again;
end;

-- Who looks after a community sees all of it, so the system alone begins communities and says who looks after them: it has
-- asked their platform.
create index communities_owner on communities (owner_id);
drop policy tenant on communities;
create policy tenant on communities for select
  using (owner_id = (select current_tenant()) or id = any ((select administered())::text[]));
create policy tenant_changes on communities for update
  using (owner_id = (select current_tenant()) or id = any ((select administered())::text[]))
  with check (owner_id = (select current_tenant()) or id = any ((select administered())::text[]));
create policy tenant_removes on communities for delete
  using (owner_id = (select current_tenant()) or id = any ((select administered())::text[]));
drop policy tenant on community_admins;
create policy tenant on community_admins for select using (user_id = (select current_tenant()));
drop policy beginning on community_plans;

-- What is proven or paid for is written by the system, which has looked; a tenant reads its own.
drop policy tenant on wallet_connections;
create policy tenant on wallet_connections for select using (user_id = (select current_tenant()));
drop policy tenant on payment_subscriptions;
create policy tenant on payment_subscriptions for select using (created_by_id = (select current_tenant()));
drop policy tenant on account_erasures;
create policy tenant on account_erasures for select using (user_id = (select current_tenant()));

-- A rule makes a token contract known; what the contract says of itself is found out by the system.
alter table evm_tokens enable row level security;
create policy named_by_rules on evm_tokens for insert
  with check ((icon, standard, name, symbol, decimals) is null);
