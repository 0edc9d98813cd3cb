-- Sample communities of readers of the guides. Only the system can access it.
create table playgrounds (
  key_hash hashed_secret primary key,
  address_hash hashed_secret not null,
  guild_id text,
  accounts text[] not null default '{}',
  created_at timestamptz not null,
  expires_at timestamptz not null
);
comment on table playgrounds is 'Communities in the sample world that readers of the guides try things out in. Each ends after half an hour.';
comment on column playgrounds.key_hash is 'Hash of the key in the reader’s browser, which is required to see and change it.';
comment on column playgrounds.address_hash is 'Hash of the address that it was created from, to limit how many one address has.';
comment on column playgrounds.guild_id is 'The guild on the Discord emulator; null while it is being created.';
comment on column playgrounds.accounts is 'The accounts of its members, which exist in no other community.';
create index playgrounds_expiry on playgrounds (expires_at);
alter table playgrounds enable row level security;
