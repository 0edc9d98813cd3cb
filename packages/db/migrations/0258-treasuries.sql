-- Wallets of communities and organizations as Safes on a chain. Only the system reaches these tables.
create table treasuries (
  kind text not null check (kind in ('community', 'organization')),
  holder_id text not null,
  safe_address text not null unique,
  owner_address text not null,
  chain_id bigint not null,
  -- The wallet that the Safe was handed over to.
  handed_over_to text,
  created_at timestamptz not null,
  primary key (kind, holder_id)
);
create index treasuries_by_address on treasuries (lower(safe_address));
alter table treasuries enable row level security;

insert into treasuries (kind, holder_id, safe_address, owner_address, chain_id, created_at)
  select 'community', community_id, safe_address, owner_address, chain_id, created_at from community_wallets;
insert into treasuries (kind, holder_id, safe_address, owner_address, chain_id, created_at)
  select 'organization', organization_id, safe_address, owner_address, chain_id, created_at from organization_wallets;

-- The keys of new wallets are made and kept by the signer.
alter table community_wallets alter column owner_key drop not null;
alter table organization_wallets alter column owner_key drop not null;

create table treasury_actions (
  id text primary key,
  safe_address text not null references treasuries (safe_address) on delete cascade,
  kind text not null check (kind in ('deployment', 'transfer', 'handoff')),
  state text not null check (state in ('proposed', 'waiting', 'sent', 'done', 'failed')),
  asked_by_id text not null,
  -- What it moves, as people read it.
  content jsonb not null,
  -- The call of the Safe and its place in the Safe's order; null for a deployment.
  call jsonb,
  nonce numeric(78, 0),
  -- The signed typed data, and the owner's signature over it.
  typed_data text,
  signature text,
  -- Every transaction that was ever sent for it, written down before it is sent.
  tx_hashes text[] not null,
  -- The one that was mined.
  tx_hash text,
  -- Why it does not go on, for whoever can fix it.
  problem text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Until when a proposed action can be approved.
  expires_at timestamptz
);
create index treasury_actions_by_safe on treasury_actions (safe_address, created_at desc, id desc);
create index treasury_actions_by_asker on treasury_actions (asked_by_id);
-- One deployment and one move at a time.
create unique index treasury_actions_open on treasury_actions (safe_address, (kind = 'deployment'))
  where state in ('waiting', 'sent');
alter table treasury_actions enable row level security;

-- The account that pays fees, where the operator names none.
create table treasury_payers (
  id int primary key check (id = 1),
  private_key sealed_secret not null,
  created_at timestamptz not null
);
alter table treasury_payers enable row level security;

-- People approve what moves from wallets of communities too, also those without a hosted wallet.
alter table hosted_wallet_approvals drop constraint hosted_wallet_approvals_user_id_fkey;
