-- A plan has one price for each billing period and currency. The columns that were there hold the price that is shown first;
-- the others stand beside it. Amounts are in the smallest unit of their currency.
alter table plans
  add column currency text not null default 'usd' check (currency ~ '^[a-z]{3}$'),
  add column other_prices jsonb not null default '[]' check (
    jsonb_typeof(other_prices) = 'array'
    and not jsonb_path_exists(
      other_prices,
      '$[*] ? (!((@.billingPeriod == "monthly" || @.billingPeriod == "yearly") && exists(@.amount ? (@ > 0)) && exists(@.currency ? (@ starts with ""))))'
    )
  ),
  -- Null is offered without an end.
  add column offered_until timestamptz;
update plans set billing_period = 'yearly' where billing_period in ('annual', 'annually', 'year');
update plans set billing_period = 'monthly' where billing_period <> 'yearly';
alter table plans add constraint plans_billing_period_check check (billing_period in ('monthly', 'yearly'));

-- Who pays, as the card provider knows them: one customer for each payer, so that one page shows all they pay for.
create table payment_customers (
  created_by_id text primary key,
  id text not null unique,
  created_at timestamptz not null
);
alter table payment_customers enable row level security;
create policy tenant on payment_customers
  using (created_by_id = (select current_tenant())) with check (created_by_id = (select current_tenant()));

alter table payment_checkouts
  -- Which of two was begun first, also within one moment.
  add column begun bigint generated always as identity,
  -- The checkout at the card provider, or the running subscription that is to be changed.
  add column session_id text,
  add column subscription_id text,
  add column price_id text,
  -- The locks that are offered: a key of any of them buys the plan.
  add column locks jsonb check (jsonb_typeof(locks) = 'array');
update payment_checkouts set locks = jsonb_build_array(jsonb_build_object('chainId', lock_chain_id, 'address', lock_address))
  where lock_address is not null;
alter table payment_checkouts drop column lock_chain_id, drop column lock_address;
create index payment_checkouts_open on payment_checkouts (subscriber_id) where session_id is not null;

alter table payment_subscriptions
  -- What the provider says: active, past_due, canceled …; null for a key of a lock.
  add column status text,
  add column past_due_since timestamptz,
  add column price_id text,
  add column billing_period text check (billing_period in ('monthly', 'yearly')),
  add column amount bigint,
  add column currency text;

-- Payments that a payer has disputed at their bank. While one is open or lost, what it paid for is not theirs to use.
create table payment_disputes (
  id text primary key,
  subscription_id text,
  charge_id text not null,
  status text not null,
  outcome text not null check (outcome in ('open', 'lost', 'won')),
  amount bigint not null,
  currency text not null,
  updated_at timestamptz not null
);
create index payment_disputes_subscription on payment_disputes (subscription_id) where subscription_id is not null;

-- Mini-apps need a plan where plans are sold; the plan that communities buy includes them.
update plans set features = features || '[{"identifier": "MINIAPP"}]'
  where id = 'community' and not features @> '[{"identifier": "MINIAPP"}]';
