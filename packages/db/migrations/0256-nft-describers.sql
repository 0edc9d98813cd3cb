-- Whom the operator lets describe an NFT contract that they cannot be seen to own. Only the system reaches it.
create table nft_describers (
  chain_id bigint not null check (chain_id > 0),
  contract text not null check (contract ~ '^0x[0-9a-f]{40}$'),
  -- The id of a user or of a client application.
  describer_id text not null,
  named_at timestamptz not null,
  primary key (chain_id, contract, describer_id)
);
create index nft_describers_describer on nft_describers (describer_id);
alter table nft_describers enable row level security;
