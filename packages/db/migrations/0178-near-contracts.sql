-- Token contracts and markets on NEAR that were made here. What the contracts say of themselves is on the chain; these
-- rows say who may act on them through this server.
create table near_contracts (
  network text not null,
  address text not null,
  kind text not null check (kind in ('token', 'market')),
  created_by_id text not null,
  name text,
  symbol text,
  metadata_url text,
  -- The NEAR account that the maker named as the owner.
  owner text,
  classification text,
  -- pending: the transaction may or may not be executed yet.
  state text not null check (state in ('pending', 'active')),
  transaction_hash text,
  created_at timestamptz not null,
  primary key (network, address)
);
create index near_contracts_maker on near_contracts (created_by_id, network, created_at, address);
create index near_contracts_classification on near_contracts (network, classification, address)
  where classification is not null;
alter table near_contracts enable row level security;
alter table near_contracts force row level security;
create policy tenant on near_contracts using (sees(created_by_id)) with check (sees(created_by_id));
