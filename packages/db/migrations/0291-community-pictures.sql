-- The picture that the chat platform shows of a community, kept here so that browsers load it from nobody else. A row
-- without bytes says that there is none, or none that can be shown.
create table community_pictures (
  community_id text primary key references communities (id) on delete cascade,
  -- What the platform tells one picture from the next by.
  version text check (length(version) <= 512),
  -- SHA-256 of the bytes, as hex: the address of the picture.
  digest text check (digest ~ '^[0-9a-f]{64}$'),
  type text check (type in ('image/gif', 'image/jpeg', 'image/png', 'image/webp')),
  bytes bytea check (octet_length(bytes) between 1 and 262144),
  checked_at timestamptz not null,
  check (num_nulls(digest, type, bytes) in (0, 3))
);
create index community_pictures_digest on community_pictures (digest) where digest is not null;
