-- What accounts held when they were last read, for assets whose changes are announced. Public facts, no tenant's.
create table read_holdings (
  chain text not null,
  reference text not null,
  account text not null,
  -- What else distinguishes the question: standard, token ids, needs, details.
  variant text not null,
  answer jsonb not null,
  block_number bigint not null,
  block_hash text,
  read_at timestamptz not null,
  primary key (chain, reference, account, variant)
);
create index read_holdings_block on read_holdings (chain, block_number);
create index read_holdings_age on read_holdings (read_at);

-- Which assets the rules of each community name, so that a transfer finds the communities it matters to.
create table rule_assets (
  community_id text not null references communities on delete cascade,
  chain text not null,
  standard text not null,
  reference text not null,
  primary key (community_id, chain, standard, reference)
);
create index rule_assets_reference on rule_assets (chain, reference);
-- The state of the rules that rule_assets was made from.
create table rule_indexes (
  community_id text primary key references communities on delete cascade,
  rules_digest text not null
);

-- How far each chain was followed, and when that was last known to be its end.
create table followed_chains (
  chain text primary key,
  number bigint not null,
  hash text not null,
  followed_at timestamptz not null
);
-- The last blocks passed, to notice that the chain has left them.
create table followed_blocks (
  chain text not null references followed_chains on delete cascade,
  number bigint not null,
  hash text not null,
  primary key (chain, number)
);
-- Whose holdings changed in those blocks, to look again when one of them is undone.
create table followed_changes (
  chain text not null references followed_chains on delete cascade,
  number bigint not null,
  reference text not null,
  account text not null,
  primary key (chain, reference, account, number)
);
create index followed_changes_number on followed_changes (chain, number);
-- Since which block the changes of a contract are heard; what was read before may have changed unheard.
create table followed_contracts (
  chain text not null references followed_chains on delete cascade,
  reference text not null,
  since_number bigint not null,
  primary key (chain, reference)
);
