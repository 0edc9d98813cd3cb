-- Which receipt minted a token, as its contract logged it (NEP-171). A token that was burnt may be minted again.
create table near_token_mints (
  contract text collate "C" not null,
  token_id text collate "C" not null,
  receipt_id text collate "C" not null,
  transaction_hash text collate "C" not null,
  primary key (contract, token_id, receipt_id)
);
