-- How many members a community had on each day, as last counted on it.
create table community_days (
  community_id text not null references communities on delete cascade,
  day date not null,
  members integer not null check (members >= 0),
  primary key (community_id, day)
);

-- Lists of members that an admin asked for, written by a worker and kept for some days.
create table member_exports (
  id text primary key,
  community_id text not null references communities on delete cascade,
  -- What was asked for, as the list of members takes it.
  filter jsonb not null,
  status text not null check (status in ('waiting', 'running', 'done', 'failed')),
  created_by text not null,
  created_at timestamptz not null,
  finished_at timestamptz,
  members integer not null default 0,
  problem text
);
create index member_exports_community on member_exports (community_id, created_at desc, id desc);
create index member_exports_age on member_exports (created_at);

-- The file, in parts of a thousand members.
create table member_export_parts (
  export_id text not null references member_exports on delete cascade,
  part integer not null,
  content text not null,
  primary key (export_id, part)
);
