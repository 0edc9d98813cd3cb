-- Short links. The slug is the only key to what is behind it, so the table has its hash alone and the content sealed:
-- whoever reads a backup learns neither.
create table slugs (
  slug_hash hashed_secret primary key,
  owner_id text not null,
  content sealed_secret not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index slugs_expiry on slugs (expires_at);

alter table slugs enable row level security;
alter table slugs force row level security;
create policy tenant on slugs using (sees(owner_id)) with check (sees(owner_id));
