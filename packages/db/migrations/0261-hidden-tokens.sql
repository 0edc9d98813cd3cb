-- Well-known tokens that the operator took out of the list. One that a rule names is listed all the same.
create table hidden_evm_tokens (
  chain_id bigint not null,
  -- In lower case.
  address text not null check (address ~ '^0x[0-9a-f]{40}$'),
  hidden_at timestamptz not null,
  primary key (chain_id, address)
);
