-- What payers were mailed about their subscriptions, so that each thing is said once. Nobody is named here.
create table payment_notices (
  subscription_id text not null references payment_subscriptions on delete cascade,
  kind text not null check (kind in ('payment-failed', 'cancellation', 'dispute')),
  -- Which one: since when the payment is late, when the subscription ends, the id of the dispute.
  about text not null,
  noted_at timestamptz not null,
  primary key (subscription_id, kind, about)
);
