-- Linking a wallet in steps: messages that name the wallet they are for, and what waits for the next step.
alter table wallet_link_challenges
  -- Which of two messages is the newer one, when both were written at the same moment.
  add column number bigint generated always as identity,
  -- By which the asking page finds the message again.
  add column state_hash hashed_secret unique,
  -- The account the message names, or null for a message that any wallet with a key may sign.
  add column namespace text,
  add column chain text,
  add column address text,
  -- Who signs, when that is another account: an owner of the contract at the address.
  add column signer text,
  -- The community the wallet is linked for.
  add column community_id text references communities on delete cascade,
  add column wallet_type text;
create index wallet_link_challenges_newest on wallet_link_challenges (user_id, number);

alter table wallet_connections
  add column signer_address text,
  -- Why the signer speaks for the address: evm:1/gnosis/<safe>, evm:1/dsproxy/<registry>.
  add column contract text,
  add column community_id text references communities on delete set null;

-- What waits for its next step: a wallet to be moved from another account, a proxy to be chosen, a code to be published.
-- The key is known to the asking page only; the content names people and wallets, so it is sealed.
create table wallet_pending_steps (
  key_hash hashed_secret primary key,
  kind text not null check (kind in ('reset', 'proxy', 'magic-code', 'tokenproof')),
  user_id text not null,
  content sealed_secret not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index wallet_pending_steps_expiry on wallet_pending_steps (expires_at);
create index wallet_pending_steps_user on wallet_pending_steps (user_id);
alter table wallet_pending_steps enable row level security;
alter table wallet_pending_steps force row level security;
create policy tenant on wallet_pending_steps using (sees(user_id)) with check (sees(user_id));
