-- What somebody set out to pay, until they come back from the provider.
create table payment_checkouts (
  id text primary key,
  -- The slug in the address they come back to; it is known to them alone.
  slug_hash hashed_secret not null unique,
  created_by_id text not null,
  provider text not null check (provider in ('stripe', 'unlock')),
  -- Null for a donation.
  plan_id text references plans,
  -- The organization or community that the plan is for.
  subscriber_id text,
  redirect_uri text not null,
  -- What a buyer with a wallet signs, and the lock they buy from.
  message text,
  lock_chain_id bigint,
  lock_address text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- A signature is taken once.
  used_at timestamptz,
  check ((plan_id is null) = (subscriber_id is null))
);
create index payment_checkouts_expiry on payment_checkouts (expires_at);
create index payment_checkouts_owner on payment_checkouts (created_by_id);
alter table payment_checkouts enable row level security;
alter table payment_checkouts force row level security;
create policy tenant on payment_checkouts using (sees(created_by_id)) with check (sees(created_by_id));

-- What was bought and lasts. The id is the provider's, or chain:lock:account for a key of a lock.
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
  -- When a lock must be asked again.
  check_at timestamptz
);
create index payment_subscriptions_subscriber on payment_subscriptions (subscriber_id, plan_id);
create index payment_subscriptions_due on payment_subscriptions (check_at) where check_at is not null;
alter table payment_subscriptions enable row level security;
alter table payment_subscriptions force row level security;
create policy tenant on payment_subscriptions using (sees(created_by_id)) with check (sees(created_by_id));

-- Every movement of money once, by the provider's id of it, in the smallest unit of its currency.
create table payment_ledger (
  id text primary key,
  checkout_id text,
  subscription_id text,
  amount bigint not null,
  currency text not null,
  occurred_at timestamptz not null
);
create index payment_ledger_subscription on payment_ledger (subscription_id, occurred_at);

-- Messages of the provider. The row and the job that follows it are written together, once for each id.
create table payment_events (
  id text primary key,
  type text not null,
  occurred_at timestamptz not null,
  received_at timestamptz not null
);
create index payment_events_age on payment_events (received_at);
