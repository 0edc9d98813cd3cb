-- Linking a wallet to an account: what must be signed, and what is known of a wallet afterwards.
alter table wallet_connections
  -- A contract speaks for its address on one chain only; null for wallets with a key, which are one on all chains.
  add column contract_chain text,
  add column wallet_type text,
  add column metadata jsonb not null default '{}';
alter table wallet_connections drop constraint wallet_connections_namespace_address_user_id_key;
create unique index wallet_connections_link
  on wallet_connections (namespace, address, coalesce(contract_chain, ''), user_id);
create index wallet_connections_user on wallet_connections (user_id, created_at, id);

-- Messages that prove a wish to link. Each is taken out, and so used up, before its signature is looked at.
create table wallet_link_challenges (
  message_hash hashed_secret primary key,
  user_id text not null,
  message text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index wallet_link_challenges_expiry on wallet_link_challenges (expires_at);
alter table wallet_link_challenges enable row level security;
alter table wallet_link_challenges force row level security;
create policy tenant on wallet_link_challenges using (sees(user_id)) with check (sees(user_id));
