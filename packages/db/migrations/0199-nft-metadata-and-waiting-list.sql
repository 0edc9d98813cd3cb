-- What NFT contracts and their tokens say of themselves, for contracts whose tokenURI leads here.
create table nft_contract_metadata (
  chain_id bigint not null check (chain_id > 0),
  contract text not null check (contract ~ '^0x[0-9a-f]{40}$'),
  created_by_id text not null,
  content jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (chain_id, contract)
);

create table nft_token_metadata (
  chain_id bigint not null,
  contract text not null,
  token_id numeric(78, 0) not null check (token_id >= 0),
  created_by_id text not null,
  content jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (chain_id, contract, token_id),
  foreign key (chain_id, contract) references nft_contract_metadata on delete cascade
);

alter table nft_contract_metadata enable row level security;
alter table nft_contract_metadata force row level security;
create policy tenant on nft_contract_metadata using (sees(created_by_id)) with check (sees(created_by_id));
alter table nft_token_metadata enable row level security;
alter table nft_token_metadata force row level security;
create policy tenant on nft_token_metadata using (sees(created_by_id)) with check (sees(created_by_id));

-- People whom the operator lets onto the waiting list without a quote.
create table waiting_list_guests (
  user_id text primary key,
  added_at timestamptz not null
);

-- Who is on the waiting list, as far as this server has to remember it: the chain knows those who paid.
create table waiting_list_members (
  user_id text primary key,
  method text not null check (method in ('guest', 'chain')),
  registered_at timestamptz not null
);

-- Transactions whose gas was promised to be paid, for the limits of each sender.
create table paymaster_grants (
  id bigint generated always as identity primary key,
  owner text not null,
  granted_at timestamptz not null,
  transactions integer not null check (transactions > 0)
);
create index paymaster_grants_owner on paymaster_grants (owner, granted_at);
create index paymaster_grants_age on paymaster_grants (granted_at);

alter table waiting_list_guests enable row level security;
alter table waiting_list_guests force row level security;
create policy tenant on waiting_list_guests using (sees(user_id)) with check (sees(''));
alter table waiting_list_members enable row level security;
alter table waiting_list_members force row level security;
create policy tenant on waiting_list_members using (sees(user_id)) with check (sees(user_id));
alter table paymaster_grants enable row level security;
alter table paymaster_grants force row level security;
create policy tenant on paymaster_grants using (sees('')) with check (sees(''));
