-- How often the members of a community on this plan are looked at again.
alter table plans add column check_period_seconds integer check (check_period_seconds > 0);

insert into plans
  (id, audience, name, price_cents, billing_period, features, description, check_period_seconds, created_at)
values
  ('starter', 'community', 'Starter', 0, 'monthly', '[]',
   'What every community begins with. Members are looked at again every seven days.', 604800, '2026-01-01T00:00:00Z'),
  ('community', 'community', 'Community', 0, 'monthly',
   '[{"identifier": "ON_DEMAND_BALANCE_CHECK"}, {"identifier": "TWITTER_TGR"}]',
   'Members are looked at again every day, and whenever an admin asks. The operator sets its price.', 86400,
   '2026-01-01T00:00:00Z');

-- The plans a community is or was on.
create table community_plans (
  community_id text not null references communities on delete cascade,
  plan_id text not null references plans,
  since timestamptz not null,
  -- Null runs until it is taken away.
  until timestamptz check (until > since),
  primary key (community_id, plan_id)
);
alter table community_plans enable row level security;
alter table community_plans force row level security;
create policy tenant on community_plans for select using (administers(community_id));
-- A community begins on the starter plan; every other one is given by the operator or by a payment.
create policy beginning on community_plans for insert with check (plan_id = 'starter' and administers(community_id));
create policy operator on community_plans using (sees('*')) with check (sees('*'));
