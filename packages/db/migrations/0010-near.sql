-- NEAR: an index of a network, and the contracts, accounts and transactions that this server creates.

-- The index. These are public facts of a chain and belong to no tenant.
create table near_index_cursor (
  network text primary key,
  height bigint not null,
  hash text not null
);
comment on table near_index_cursor is 'The last block that was indexed. An update must match the previous height, so that two indexers cannot both advance it.';

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
  check_at timestamptz,
  looks int not null default 0
);
comment on table near_seen_transactions is 'Transactions on the chain.';
comment on column near_seen_transactions.check_at is 'When to read its outcome again; null once all of it is known.';
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
comment on table near_seen_receipts is 'Receipts on the chain: the steps in which a transaction is executed.';

create table near_receipt_origins (
  receipt_id text collate "C" primary key,
  transaction_hash text collate "C" not null
);
comment on table near_receipt_origins is 'Which transaction a receipt comes from, which may be known before or after the block of the receipt.';

create table near_function_calls (
  receipt_id text collate "C" not null,
  action_index int not null,
  place bigint not null,
  block_time numeric(20) not null,
  caller text collate "C" not null,
  contract text collate "C" not null,
  method text not null,
  args text not null,
  is_direct boolean not null,
  primary key (receipt_id, action_index)
);
comment on table near_function_calls is 'Function calls on the chain.';
comment on column near_function_calls.place is 'The order of calls on the chain: the height, then the position in it.';
comment on column near_function_calls.args is 'JSON as it was sent, or {"args_base64": …} for other bytes. Text, since jsonb cannot store all JSON.';
comment on column near_function_calls.is_direct is 'Whether it was called by a transaction itself, not by another contract.';
create index near_calls_newest on near_function_calls (place desc) where is_direct;
create index near_calls_contract on near_function_calls (contract, place desc);
create index near_calls_contract_caller on near_function_calls (contract, caller, place desc);
create index near_direct_contract on near_function_calls (contract, place desc) where is_direct;
create index near_direct_contract_caller on near_function_calls (contract, caller, place desc) where is_direct;
create index near_direct_caller on near_function_calls (caller, place desc) where is_direct;

create table near_call_tokens (
  contract text collate "C" not null,
  token_id text collate "C" not null,
  place bigint not null,
  receipt_id text collate "C" not null,
  action_index int not null,
  primary key (contract, token_id, receipt_id, action_index)
);
comment on table near_call_tokens is 'Which calls were about a token, by their arguments or by what the contract logged.';
create index near_call_tokens_newest on near_call_tokens (contract, token_id, place desc);

create table near_call_accounts (
  contract text collate "C" not null,
  account text collate "C" not null,
  place bigint not null,
  receipt_id text collate "C" not null,
  action_index int not null,
  primary key (contract, account, receipt_id, action_index)
);
comment on table near_call_accounts is 'Which calls were about an account, by their arguments or by what the contract logged.';
create index near_call_accounts_newest on near_call_accounts (contract, account, place desc);

create table near_seen_accounts (
  account text collate "C" primary key,
  parent text collate "C"
);
comment on table near_seen_accounts is 'Accounts on the chain.';
comment on column near_seen_accounts.parent is 'What follows the first dot; null for top-level and implicit accounts.';
create index near_seen_accounts_children on near_seen_accounts (parent, account) where parent is not null;

create table near_token_accounts (
  account text collate "C" not null,
  kind text not null check (kind in ('ft', 'nft')),
  contract text collate "C" not null,
  primary key (account, kind, contract)
);
comment on table near_token_accounts is 'The token contracts that an account has or had tokens of.';

create table near_token_contracts (
  contract text collate "C" not null,
  kind text not null check (kind in ('ft', 'nft')),
  primary key (contract, kind)
);
comment on table near_token_contracts is 'Token contracts on the chain: fungible (ft) or not (nft).';

create table near_token_mints (
  contract text collate "C" not null,
  token_id text collate "C" not null,
  receipt_id text collate "C" not null,
  transaction_hash text collate "C" not null,
  primary key (contract, token_id, receipt_id)
);
comment on table near_token_mints is 'Which receipt minted a token, as its contract logged it (NEP-171). A burnt token may be minted again.';

-- What this server creates for users.
create table near_contracts (
  network text not null,
  address text not null,
  kind text not null check (kind in ('token', 'market')),
  created_by_id text not null,
  name text,
  symbol text,
  metadata_url text,
  owner text,
  classification text,
  state text not null check (state in ('pending', 'active')),
  transaction_hash text,
  created_at timestamptz not null,
  primary key (network, address)
);
comment on table near_contracts is 'Token contracts and marketplaces that were created here, and who may manage them through this server.';
comment on column near_contracts.owner is 'The NEAR account that its creator set as the owner.';
comment on column near_contracts.state is 'pending: the transaction may not be executed yet.';
create index near_contracts_maker on near_contracts (created_by_id, network, created_at, address);
create index near_contracts_classification on near_contracts (network, classification, address)
  where classification is not null;
alter table near_contracts enable row level security;
create policy tenant on near_contracts
  using (created_by_id = (select current_tenant())) with check (created_by_id = (select current_tenant()));

create table near_transactions (
  network text not null,
  hash text not null,
  signer_id text not null,
  signed bytea not null,
  purpose text,
  request_hash text,
  state text not null check (state in ('signed', 'done', 'failed', 'refused')),
  result jsonb,
  created_by_id text not null,
  created_at timestamptz not null,
  settled_at timestamptz,
  primary key (network, hash)
);
comment on table near_transactions is 'Transactions that this server sends. Each is stored before it is sent, so that after a crash the same bytes are sent again, which the chain executes at most once.';
comment on column near_transactions.purpose is 'What a transaction signed by this server is for: while it is open, no second one is signed for the same purpose.';
comment on column near_transactions.request_hash is 'What was requested in detail: the same purpose with other details is another request.';
create unique index near_transactions_purpose on near_transactions (network, purpose) where state in ('signed', 'done');
create index near_transactions_open on near_transactions (created_at) where state = 'signed';
create index near_transactions_maker on near_transactions (created_by_id);
alter table near_transactions enable row level security;
create policy tenant on near_transactions
  using (created_by_id = (select current_tenant())) with check (created_by_id = (select current_tenant()));

create table near_nonces (
  network text not null,
  public_key text not null,
  nonce bigint not null,
  primary key (network, public_key)
);
comment on table near_nonces is 'The highest nonce that was used with a key, so that two processes never sign with the same one.';

create table near_intents (
  id text primary key,
  network text not null,
  created_by_id text not null,
  operation text not null,
  request_hash text not null,
  drafts json not null,
  seen json not null,
  created_at timestamptz not null
);
comment on table near_intents is 'What users were asked to sign. They repeat the same request with the signature.';
comment on column near_intents.drafts is 'The transactions in the order of sending. Not jsonb, which would reorder arguments, so that the signature would be over other bytes.';
comment on column near_intents.seen is 'What was true on the chain when the drafts were written.';
create index near_intents_request on near_intents (created_by_id, operation, request_hash, created_at);
create index near_intents_age on near_intents (created_at);
alter table near_intents enable row level security;
create policy tenant on near_intents
  using (created_by_id = (select current_tenant())) with check (created_by_id = (select current_tenant()));

create table near_accounts (
  network text not null,
  account_id text not null,
  created_by_id text not null,
  public_key text not null,
  extra_public_keys text[] not null,
  origin text not null check (origin in ('made', 'proven')),
  state text not null check (state in ('pending', 'active')),
  transaction_hash text,
  created_at timestamptz not null,
  primary key (network, account_id, created_by_id)
);
comment on table near_accounts is 'NEAR accounts of users.';
comment on column near_accounts.origin is 'made: this server created it. proven: its owner proved it.';
create index near_accounts_holder on near_accounts (created_by_id);
alter table near_accounts enable row level security;
create policy tenant on near_accounts
  using (created_by_id = (select current_tenant())) with check (created_by_id = (select current_tenant()));

create table near_sign_in_sessions (
  state_hash hashed_secret primary key,
  network text not null,
  created_by_id text not null,
  contract_id text not null,
  method_name text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
comment on table near_sign_in_sessions is 'Sign-ins by a key that a wallet adds to the account. The method that the key may call is known to one session only.';
create index near_sign_in_sessions_age on near_sign_in_sessions (expires_at);
create index near_sign_in_sessions_holder on near_sign_in_sessions (created_by_id);
alter table near_sign_in_sessions enable row level security;
create policy tenant on near_sign_in_sessions
  using (created_by_id = (select current_tenant())) with check (created_by_id = (select current_tenant()));
