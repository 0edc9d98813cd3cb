-- The traits of NFT collections, summarised from the metadata of their tokens. Public: nobody's rows.
create table collection_traits (
  chain_id bigint not null,
  -- In lower case.
  address text not null check (address ~ '^0x[0-9a-f]{40}$'),
  -- Null until it was read for the first time.
  traits jsonb check (jsonb_typeof(traits) = 'array'),
  -- When it is read next; moved forward by whoever begins to read, so that nobody else does meanwhile.
  due_at timestamptz not null,
  read_at timestamptz,
  primary key (chain_id, address)
);
create index collection_traits_due on collection_traits (due_at);
