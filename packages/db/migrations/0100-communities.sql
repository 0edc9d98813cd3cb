-- Chat communities, those who look after them, their rules and their members.
create table communities (
  -- DIS#COMM#…, TEL#COMM#…, RED#COMM#…: the platform and its own id of the community.
  id text primary key,
  platform text not null check (platform in ('discord', 'telegram', 'reddit')),
  community_id text not null,
  name text not null,
  status text not null check (status in ('active', 'paused', 'kicked')),
  owner_id text not null,
  admin_user_id text,
  -- What the API carries along without deciding anything by it: link, serverImage, welcomeMessage, cashtag …
  profile jsonb not null,
  disable_background_checks boolean not null,
  -- How often every member is looked at again; null takes what the plan says.
  check_period_seconds integer check (check_period_seconds > 0),
  next_check_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (platform, community_id)
);
-- Paths may name a community by the platform's own id alone.
create index communities_native on communities (community_id);
create index communities_due on communities (next_check_at) where status = 'active' and not disable_background_checks;

create table community_admins (
  community_id text not null references communities on delete cascade,
  user_id text not null,
  added_at timestamptz not null,
  primary key (community_id, user_id)
);
create index community_admins_user on community_admins (user_id);

-- Whether the tenant of this transaction looks after the community.
create function administers(community text) returns boolean
  language sql stable parallel safe
  return current_setting('latchkey.tenant', true) = '*' or exists (
    select from community_admins a
    where a.community_id = community and a.user_id = nullif(current_setting('latchkey.tenant', true), '')
  );

-- A rule as the API takes it; the columns are what is looked up, the definition is what is decided by.
create table community_rules (
  -- TPC#<contract>#<role>[#<chain>] and, when several rules are alike, a number.
  id text not null,
  community_id text not null references communities on delete cascade,
  role_id text not null,
  definition jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (community_id, id)
);
create index community_rules_role on community_rules (community_id, role_id);

-- Everybody known to be in a community, and the roles they were last seen with.
create table community_members (
  community_id text not null references communities on delete cascade,
  -- DIS#USER#…, TEL#USER#…, RED#USER#…
  user_id text not null,
  user_name text,
  is_bot boolean not null default false,
  role_ids text[] not null,
  -- Goes up with every look at the platform or event from it, so that an older look never overwrites a newer one.
  seen_at timestamptz not null,
  last_active_at timestamptz,
  left_at timestamptz,
  checked_at timestamptz,
  primary key (community_id, user_id)
);
create index community_members_user on community_members (user_id);
create index community_members_active on community_members (community_id, last_active_at) where last_active_at is not null;

-- Whether the tenant of this transaction is a member of the community.
create function belongs(community text) returns boolean
  language sql stable parallel safe
  return exists (
    select from community_members m
    where m.community_id = community and m.left_at is null
      and m.user_id = nullif(current_setting('latchkey.tenant', true), '')
  );

alter table communities enable row level security;
alter table communities force row level security;
create policy tenant on communities
  using (sees(owner_id) or administers(id))
  with check (sees(owner_id) or administers(id));
-- Members may see where they are, and which rules hold there.
create policy members on communities for select using (belongs(id));
alter table community_admins enable row level security;
alter table community_admins force row level security;
-- Not administers(): a policy that asks its own table never ends.
create policy tenant on community_admins using (sees(user_id)) with check (sees(user_id));
alter table community_rules enable row level security;
alter table community_rules force row level security;
create policy tenant on community_rules using (administers(community_id)) with check (administers(community_id));
create policy members on community_rules for select using (belongs(community_id));
alter table community_members enable row level security;
alter table community_members force row level security;
create policy tenant on community_members
  using (sees(user_id) or administers(community_id))
  with check (administers(community_id));
