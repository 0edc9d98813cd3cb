-- What happened on a NEAR network, as far as it was followed. Public facts of a chain: not a tenant's.
-- How far the network was followed. Whoever moves it on must name the height it stood at, so two followers cannot both.
create table near_index_cursor (
  network text primary key,
  height bigint not null,
  hash text not null
);

create table near_seen_transactions (
  hash text collate "C" primary key,
  height bigint not null,
  block_hash text not null,
  block_time numeric(20) not null,
  chunk_hash text not null,
  index_in_chunk int not null,
  signer text collate "C" not null,
  signer_key text not null,
  receiver text collate "C" not null,
  nonce numeric(20) not null,
  signature text not null,
  status text not null check (status in ('FAILURE', 'SUCCESS_RECEIPT_ID', 'SUCCESS_VALUE', 'UNKNOWN')),
  receipt_id text collate "C",
  gas_burnt numeric(20) not null,
  tokens_burnt numeric(40) not null,
  -- When to ask again what became of it; null once everything that came of it is known.
  check_at timestamptz,
  looks int not null default 0
);
create index near_seen_transactions_receipt on near_seen_transactions (receipt_id) where receipt_id is not null;
create index near_seen_transactions_unsettled on near_seen_transactions (check_at) where check_at is not null;

create table near_seen_receipts (
  id text collate "C" primary key,
  kind text not null check (kind in ('ACTION', 'DATA')),
  height bigint not null,
  block_hash text not null,
  block_time numeric(20) not null,
  chunk_hash text not null,
  index_in_chunk int not null,
  predecessor text collate "C" not null,
  receiver text collate "C" not null
);

-- A transaction tells which receipts came of it, sometimes before their blocks are seen and sometimes after.
create table near_receipt_origins (
  receipt_id text collate "C" primary key,
  transaction_hash text collate "C" not null
);

-- `place` orders the calls of a chain: the height, then the place in it.
create table near_function_calls (
  receipt_id text collate "C" not null,
  action_index int not null,
  place bigint not null,
  block_time numeric(20) not null,
  caller text collate "C" not null,
  contract text collate "C" not null,
  method text not null,
  -- JSON as it was sent, or {"args_base64": …} for other bytes. Text, since a jsonb cannot hold every text of JSON.
  args text not null,
  -- Asked for by a transaction itself, not by another contract.
  is_direct boolean not null,
  primary key (receipt_id, action_index)
);
create index near_calls_newest on near_function_calls (place desc) where is_direct;
create index near_calls_contract on near_function_calls (contract, place desc);
create index near_calls_contract_caller on near_function_calls (contract, caller, place desc);
create index near_direct_contract on near_function_calls (contract, place desc) where is_direct;
create index near_direct_contract_caller on near_function_calls (contract, caller, place desc) where is_direct;
create index near_direct_caller on near_function_calls (caller, place desc) where is_direct;

-- Which calls were about a token, and which about an account: by their arguments, or by what the contract logged.
create table near_call_tokens (
  contract text collate "C" not null,
  token_id text collate "C" not null,
  place bigint not null,
  receipt_id text collate "C" not null,
  action_index int not null,
  primary key (contract, token_id, receipt_id, action_index)
);
create index near_call_tokens_newest on near_call_tokens (contract, token_id, place desc);
create table near_call_accounts (
  contract text collate "C" not null,
  account text collate "C" not null,
  place bigint not null,
  receipt_id text collate "C" not null,
  action_index int not null,
  primary key (contract, account, receipt_id, action_index)
);
create index near_call_accounts_newest on near_call_accounts (contract, account, place desc);

create table near_seen_accounts (
  account text collate "C" primary key,
  -- What follows the first dot; null for top-level and implicit accounts.
  parent text collate "C"
);
create index near_seen_accounts_children on near_seen_accounts (parent, account) where parent is not null;

-- Contracts in whose tokens an account had a part.
create table near_token_accounts (
  account text collate "C" not null,
  kind text not null check (kind in ('ft', 'nft')),
  contract text collate "C" not null,
  primary key (account, kind, contract)
);
create table near_token_contracts (
  contract text collate "C" not null,
  kind text not null check (kind in ('ft', 'nft')),
  primary key (contract, kind)
);
