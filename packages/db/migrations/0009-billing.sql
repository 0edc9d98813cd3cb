-- Payments for subscription plans, and kudos.

create table payment_checkouts (
  id text primary key,
  slug_hash hashed_secret not null unique,
  created_by_id text not null,
  provider text not null check (provider in ('stripe', 'unlock')),
  plan_id text references plans,
  subscriber_id text,
  redirect_uri text not null,
  message text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  begun bigint generated always as identity,
  session_id text,
  subscription_id text,
  price_id text,
  locks jsonb check (jsonb_typeof(locks) = 'array'),
  check ((plan_id is null) = (subscriber_id is null))
);
comment on table payment_checkouts is 'Checkouts that a user started, until they return from the payment provider.';
comment on column payment_checkouts.slug_hash is 'Hash of the slug in the return address, which only the buyer knows.';
comment on column payment_checkouts.plan_id is 'Null for a donation.';
comment on column payment_checkouts.subscriber_id is 'The organization or community that the plan is for.';
comment on column payment_checkouts.message is 'What a buyer with a wallet signs.';
comment on column payment_checkouts.used_at is 'When the signature was accepted, which happens once.';
comment on column payment_checkouts.begun is 'Orders checkouts that were started at the same time.';
comment on column payment_checkouts.session_id is 'The checkout at the card provider.';
comment on column payment_checkouts.subscription_id is 'The active subscription that the checkout changes.';
comment on column payment_checkouts.locks is 'The Unlock Protocol locks that are offered: a key of any of them buys the plan.';
create index payment_checkouts_expiry on payment_checkouts (expires_at);
create index payment_checkouts_owner on payment_checkouts (created_by_id);
create index payment_checkouts_open on payment_checkouts (subscriber_id) where session_id is not null;
alter table payment_checkouts enable row level security;
create policy tenant on payment_checkouts
  using (created_by_id = (select current_tenant())) with check (created_by_id = (select current_tenant()));

create table payment_customers (
  created_by_id text primary key,
  id text not null unique,
  created_at timestamptz not null
);
comment on table payment_customers is 'The customer of each payer at the card provider, so that one page shows everything they pay for.';
alter table payment_customers enable row level security;
create policy tenant on payment_customers
  using (created_by_id = (select current_tenant())) with check (created_by_id = (select current_tenant()));

create table payment_subscriptions (
  id text primary key,
  created_by_id text not null,
  provider text not null check (provider in ('stripe', 'unlock')),
  plan_id text not null references plans,
  subscriber_id text not null,
  is_active boolean not null,
  began_at timestamptz not null,
  paid_until timestamptz not null,
  cancel_on timestamptz,
  check_at timestamptz,
  status text,
  past_due_since timestamptz,
  price_id text,
  billing_period text check (billing_period in ('monthly', 'yearly')),
  amount bigint,
  currency text
);
comment on table payment_subscriptions is 'Subscriptions to plans. The system writes them; a tenant reads its own.';
comment on column payment_subscriptions.id is 'The provider’s id, or chain:lock:account for a lock key.';
comment on column payment_subscriptions.check_at is 'When a lock must be read again.';
comment on column payment_subscriptions.status is 'The provider’s status, such as active, past_due or canceled; null for a lock key.';
create index payment_subscriptions_subscriber on payment_subscriptions (subscriber_id, plan_id);
create index payment_subscriptions_due on payment_subscriptions (check_at) where check_at is not null;
alter table payment_subscriptions enable row level security;
create policy tenant on payment_subscriptions for select using (created_by_id = (select current_tenant()));

create table payment_ledger (
  id text primary key,
  checkout_id text,
  subscription_id text,
  amount bigint not null,
  currency text not null,
  occurred_at timestamptz not null
);
comment on table payment_ledger is 'Every payment and refund, once, by the provider’s id.';
comment on column payment_ledger.amount is 'In the smallest unit of the currency.';
create index payment_ledger_subscription on payment_ledger (subscription_id, occurred_at);

create table payment_events (
  id text primary key,
  type text not null,
  occurred_at timestamptz not null,
  received_at timestamptz not null
);
comment on table payment_events is 'Webhook events of the provider. Each is written once, together with the job that handles it.';
create index payment_events_age on payment_events (received_at);

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
comment on table payment_disputes is 'Payments that a payer disputed at their bank. What was paid for is suspended while a dispute is open, and after it is lost.';
create index payment_disputes_subscription on payment_disputes (subscription_id) where subscription_id is not null;

create table payment_notices (
  subscription_id text not null references payment_subscriptions on delete cascade,
  kind text not null check (kind in ('payment-failed', 'cancellation', 'dispute')),
  about text not null,
  noted_at timestamptz not null,
  primary key (subscription_id, kind, about)
);
comment on table payment_notices is 'Emails that were sent to payers about their subscriptions, so that each is sent once. It contains no user ids.';
comment on column payment_notices.about is 'Since when the payment is late, when the subscription ends, or the id of the dispute.';

create table kudos (
  id text primary key,
  community_id text not null references communities on delete cascade,
  from_user_id text not null,
  to_user_id text not null check (to_user_id <> from_user_id),
  kind text not null,
  words text not null,
  jwt text not null,
  given_at timestamptz not null
);
comment on table kudos is 'Kudos that members of a community gave each other.';
comment on column kudos.jwt is 'The verifiable credential that proves it.';
create index kudos_received on kudos (to_user_id, given_at desc);
create index kudos_sent on kudos (from_user_id, given_at desc);
create index kudos_community on kudos (community_id);
alter table kudos enable row level security;
create policy tenant on kudos
  using (from_user_id = (select current_tenant()) or to_user_id = (select current_tenant())
    or community_id = any ((select administered())::text[]))
  with check (from_user_id = (select current_tenant()));
