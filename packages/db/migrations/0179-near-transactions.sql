-- Every transaction is written down before it is sent, so that whoever comes after a crash looks it up by its hash and
-- sends the very same bytes again, which the chain executes once at most.
create table near_transactions (
  network text not null,
  hash text not null,
  signer_id text not null,
  signed bytea not null,
  -- What is to happen, for transactions that this server signs: one that is open is not signed a second time.
  purpose text,
  -- What was asked for in detail; the same purpose with something else in mind is another request.
  request_hash text,
  state text not null check (state in ('signed', 'done', 'failed', 'refused')),
  result jsonb,
  created_by_id text not null,
  created_at timestamptz not null,
  settled_at timestamptz,
  primary key (network, hash)
);
create unique index near_transactions_purpose on near_transactions (network, purpose) where state in ('signed', 'done');
create index near_transactions_open on near_transactions (created_at) where state = 'signed';
create index near_transactions_maker on near_transactions (created_by_id);
alter table near_transactions enable row level security;
alter table near_transactions force row level security;
create policy tenant on near_transactions using (sees(created_by_id)) with check (sees(created_by_id));

-- The highest nonce that was given out for a key, so that two processes never sign with the same one.
create table near_nonces (
  network text not null,
  public_key text not null,
  nonce bigint not null,
  primary key (network, public_key)
);

-- What people were asked to sign. The signature comes with the same request a second time.
create table near_intents (
  id text primary key,
  network text not null,
  created_by_id text not null,
  operation text not null,
  request_hash text not null,
  -- The drafts, in the order in which they are sent, and what was true on the chain when they were written. Not jsonb,
  -- which would sort the arguments of calls: then the signature would be over other bytes.
  drafts json not null,
  seen json not null,
  created_at timestamptz not null
);
create index near_intents_request on near_intents (created_by_id, operation, request_hash, created_at);
create index near_intents_age on near_intents (created_at);
alter table near_intents enable row level security;
alter table near_intents force row level security;
create policy tenant on near_intents using (sees(created_by_id)) with check (sees(created_by_id));
