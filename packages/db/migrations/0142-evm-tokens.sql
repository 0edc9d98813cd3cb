-- The token contracts that rules name or the operator lists, and what they say of themselves. Public: nobody's rows.
create table evm_tokens (
  chain_id bigint not null,
  -- In lower case.
  address text not null check (address ~ '^0x[0-9a-f]{40}$'),
  -- What a rule takes the contract for; what the contract says of itself wins.
  expected_standard text check (expected_standard in ('erc20', 'erc721', 'erc1155')),
  icon text,
  standard text check (standard in ('erc20', 'erc721', 'erc1155')),
  name text,
  symbol text,
  decimals integer check (decimals >= 0),
  added_at timestamptz not null,
  -- When the contract is asked next.
  due_at timestamptz not null,
  primary key (chain_id, address)
);
create index evm_tokens_due on evm_tokens (chain_id, due_at);
