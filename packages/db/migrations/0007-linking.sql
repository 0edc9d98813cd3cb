-- Linked wallets: where each counts, and how one is linked or signs in.

create table wallet_connections (
  id text primary key,
  user_id text not null,
  platform text not null,
  user_name text,
  namespace text not null,
  address text not null,
  created_at timestamptz not null,
  contract_chain text,
  wallet_type text,
  metadata jsonb not null default '{}',
  signer_address text,
  contract text,
  scopes text[] not null default '{}',
  signs_in_since timestamptz,
  account_name text,
  signer_checked_at timestamptz,
  is_everywhere boolean not null default true,
  linked_chain text,
  shown_address text
);
comment on table wallet_connections is 'Linked wallets and X accounts that users have proven to own. The system writes them; a tenant reads its own.';
comment on column wallet_connections.namespace is 'The kind of account, such as evm, solana or twitter.';
comment on column wallet_connections.contract_chain is 'The one chain of a contract wallet; null for wallets with a key, which are the same on all chains.';
comment on column wallet_connections.signer_address is 'The signer, if that is another account, such as an owner of a Safe.';
comment on column wallet_connections.contract is 'Why the signer may act for the address: evm:1/gnosis/<safe>, evm:1/dsproxy/<registry>.';
comment on column wallet_connections.scopes is 'The scopes of the session that linked the wallet.';
comment on column wallet_connections.signs_in_since is 'Since when the wallet may sign in to the account; null unless its owner turned that on.';
comment on column wallet_connections.account_name is 'The user name on X when the account was linked.';
comment on column wallet_connections.signer_checked_at is 'When it was last checked on the chain that the signer may still act for the address.';
comment on column wallet_connections.is_everywhere is 'Counts in all communities of its owner, except where it was disconnected.';
comment on column wallet_connections.linked_chain is 'The chain that was named when the wallet was linked.';
comment on column wallet_connections.shown_address is 'The address as it was written when the wallet was linked, if that differs from the stored notation.';
create unique index wallet_connections_link
  on wallet_connections (namespace, address, coalesce(contract_chain, ''), user_id);
create index wallet_connections_address on wallet_connections (namespace, address);
create index wallet_connections_user on wallet_connections (user_id, created_at, id);
create index wallet_connections_signer on wallet_connections (signer_checked_at nulls first, id)
  where signer_address is not null and contract_chain is not null;
-- A user has one X account at most.
create unique index wallet_connections_x on wallet_connections (user_id) where namespace = 'twitter';
-- The operator finds users by a wallet in any notation.
create index wallet_connections_lower_address on wallet_connections (lower(address));
alter table wallet_connections enable row level security;
create policy tenant on wallet_connections for select using (user_id = (select current_tenant()));

create table wallet_communities (
  id text primary key,
  link_id text not null references wallet_connections on delete cascade,
  community_id text not null references communities on delete cascade,
  user_id text not null,
  is_connected boolean not null,
  created_at timestamptz not null,
  unique (link_id, community_id)
);
comment on table wallet_communities is 'The communities that a linked wallet is connected to or was disconnected from.';
comment on column wallet_communities.is_connected is 'False where a wallet that counts everywhere was disconnected.';
create index wallet_communities_user on wallet_communities (user_id, created_at, id);
create index wallet_communities_community on wallet_communities (community_id);
alter table wallet_communities enable row level security;
create policy tenant on wallet_communities for select using (user_id = (select current_tenant()));

create table wallet_link_challenges (
  message_hash hashed_secret primary key,
  user_id text not null,
  message text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  number bigint generated always as identity,
  state_hash hashed_secret unique,
  namespace text,
  chain text,
  address text,
  signer text,
  community_id text references communities on delete cascade,
  wallet_type text,
  shown_address text
);
comment on table wallet_link_challenges is 'Messages to be signed to link a wallet. Each is deleted, and so consumed, before its signature is verified.';
comment on column wallet_link_challenges.number is 'Orders messages that were created at the same time.';
comment on column wallet_link_challenges.state_hash is 'By which the requesting page finds the message again.';
comment on column wallet_link_challenges.address is 'The account in the message; null if any wallet with a key may sign it.';
comment on column wallet_link_challenges.signer is 'The signer, if that is another account: an owner of the contract at the address.';
comment on column wallet_link_challenges.community_id is 'The community that the wallet is linked for.';
comment on column wallet_link_challenges.shown_address is 'The address as it was written in the request, if that differs from the stored notation.';
create index wallet_link_challenges_expiry on wallet_link_challenges (expires_at);
create index wallet_link_challenges_newest on wallet_link_challenges (user_id, number);
alter table wallet_link_challenges enable row level security;
create policy tenant on wallet_link_challenges
  using (user_id = (select current_tenant())) with check (user_id = (select current_tenant()));

create table wallet_pending_steps (
  key_hash hashed_secret primary key,
  kind text not null check (kind in ('reset', 'proxy', 'magic-code', 'tokenproof')),
  user_id text not null,
  content sealed_secret not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
comment on table wallet_pending_steps is 'Wallets whose linking waits for another step: moving from another account, choosing a proxy, or publishing a code.';
comment on column wallet_pending_steps.key_hash is 'Hash of a key that only the requesting page has.';
comment on column wallet_pending_steps.content is 'Sealed, since it contains user ids and wallets.';
create index wallet_pending_steps_expiry on wallet_pending_steps (expires_at);
create index wallet_pending_steps_user on wallet_pending_steps (user_id);
alter table wallet_pending_steps enable row level security;
create policy tenant on wallet_pending_steps
  using (user_id = (select current_tenant())) with check (user_id = (select current_tenant()));

create table wallet_challenges (
  request_hash hashed_secret primary key,
  namespace text not null,
  chain text not null,
  address text,
  message text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  client_id text,
  account_id text
);
comment on table wallet_challenges is 'Messages to be signed to sign in with a wallet. Each is deleted, and so consumed, before its signature is verified.';
comment on column wallet_challenges.address is 'Null if the caller did not say which account will sign.';
comment on column wallet_challenges.client_id is 'The one application that the message was issued for.';
comment on column wallet_challenges.account_id is 'The account to sign in to, if the wallet is linked to several.';
create index wallet_challenges_expiry on wallet_challenges (expires_at);

create table handoffs (
  ticket_hash hashed_secret primary key,
  key_hash hashed_secret not null unique,
  purpose text not null check (purpose in ('link', 'sign-in')),
  user_id text,
  content sealed_secret not null,
  challenge_hash hashed_secret,
  opened_at timestamptz,
  proven_at timestamptz,
  wrong_codes integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  check ((purpose = 'link') = (user_id is not null))
);
comment on table handoffs is 'Handoffs: steps that a user continues in another browser, such as that of a wallet app, for ten minutes at most.';
comment on column handoffs.ticket_hash is 'Hash of the ticket in the link, which can only be used to prove a wallet.';
comment on column handoffs.key_hash is 'Hash of the key in the browser that started, which is required to see and accept the result.';
comment on column handoffs.user_id is 'The user who started it; null for a sign-in.';
comment on column handoffs.content is 'The user, what was proven, and the code that the other browser shows.';
comment on column handoffs.challenge_hash is 'The newest message for it: only that one is valid, once.';
create index hand_overs_user on handoffs (user_id) where user_id is not null;
create index hand_overs_expiry on handoffs (expires_at);
