-- Rules that were read from another service and wait for an admin to switch them on. No key of the other service is kept.
create table rule_imports (
  id text primary key,
  community_id text not null references communities (id) on delete cascade,
  source text not null check (source in ('original', 'guild', 'vulcan', 'matrica', 'sheet')),
  created_at timestamptz not null
);
create index rule_imports_community on rule_imports (community_id, created_at desc, id desc);
alter table rule_imports enable row level security;
create policy tenant on rule_imports
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));

create table rule_import_entries (
  import_id text not null references rule_imports (id) on delete cascade,
  community_id text not null references communities (id) on delete cascade,
  position integer not null,
  -- Names the rule where it comes from.
  source_key text not null,
  name text not null,
  role_id text,
  visibility text not null check (visibility in ('public', 'secret', 'hidden')),
  definition jsonb,
  state text not null check (state in ('ready', 'unmapped', 'present', 'imported', 'refused')),
  problem text,
  notes text[] not null,
  -- The rule that it became, or is already.
  rule_id text,
  primary key (import_id, position)
);
create index rule_import_entries_community on rule_import_entries (community_id);
alter table rule_import_entries enable row level security;
create policy tenant on rule_import_entries
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));
