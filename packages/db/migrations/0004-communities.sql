-- Chat communities: their admins, members and plans, the apps installed in them, guest passes, and the queue of members to
-- be re-checked.

create table communities (
  id text primary key,
  platform text not null check (platform in ('discord', 'telegram', 'reddit')),
  community_id text not null,
  name text not null,
  status text not null check (status in ('active', 'paused', 'kicked')),
  owner_id text not null,
  admin_user_id text,
  profile jsonb not null,
  disable_background_checks boolean not null,
  check_period_seconds integer check (check_period_seconds > 0),
  next_check_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (platform, community_id)
);
comment on table communities is 'Discord servers, Telegram chats and subreddits that use Latchkey.';
comment on column communities.id is 'DIS#COMM#…, TEL#COMM#…, RED#COMM#…: the platform and its own id of the community.';
comment on column communities.community_id is 'The id of the community on its platform.';
comment on column communities.profile is 'Fields that the API only stores: link, serverImage, welcomeMessage, cashtag …';
comment on column communities.check_period_seconds is 'How often every member is re-checked; null uses the period of the plan.';
-- API paths may contain only the platform's id of a community.
create index communities_native on communities (community_id);
create index communities_due on communities (next_check_at) where status = 'active' and not disable_background_checks;
create index communities_owner on communities (owner_id);
-- The operator searches by a prefix of the name.
create index communities_name on communities (lower(name) text_pattern_ops);

create table community_admins (
  community_id text not null references communities on delete cascade,
  user_id text not null,
  added_at timestamptz not null,
  confirmed_at timestamptz,
  named_by text,
  ask_at timestamptz not null default now(),
  primary key (community_id, user_id)
);
comment on table community_admins is 'Who manages a community. The chat platform decides that, and is asked regularly.';
comment on column community_admins.confirmed_at is 'When the platform last confirmed that this user is an admin there; null if it never did.';
comment on column community_admins.named_by is 'Who added an admin that the platform did not confirm: another admin, or $admin for the operator.';
comment on column community_admins.ask_at is 'When the platform is asked next.';
create index community_admins_user on community_admins (user_id);
create index community_admins_ask on community_admins (ask_at);

create table community_members (
  community_id text not null references communities on delete cascade,
  user_id text not null,
  user_name text,
  is_bot boolean not null default false,
  role_ids text[] not null,
  seen_at timestamptz not null,
  last_active_at timestamptz,
  left_at timestamptz,
  checked_at timestamptz,
  is_protected boolean,
  is_pending boolean not null default false,
  checked_blocks jsonb,
  -- Bytes determine the order, so that every server sorts the same way. Names are truncated, since an index entry must
  -- be short, and members without a name come last.
  search_name text collate "C" not null
    generated always as (coalesce(nullif(lower(left(user_name, 200)), ''), chr(1114111))) stored,
  primary key (community_id, user_id)
) with (
  -- A resync updates each member twice, in columns without an index. With free space in each page, most of these
  -- updates leave the indexes alone; and in a table with millions of rows, vacuum should not wait for a fifth of them
  -- to be dead.
  fillfactor = 90,
  autovacuum_vacuum_scale_factor = 0.05
);
comment on table community_members is 'Every known member of a community, and the roles they were last seen with.';
comment on column community_members.user_id is 'DIS#USER#…, TEL#USER#…, RED#USER#…';
comment on column community_members.seen_at is 'Increases with every read of the platform or event from it, so that older data never overwrites newer.';
comment on column community_members.is_protected is 'An admin of a Telegram chat, whom no bot can change; null until the platform was read.';
comment on column community_members.is_pending is 'Has not accepted the rules of the Discord server yet: a role would let the member skip that.';
comment on column community_members.checked_blocks is 'The blocks that were read at checked_at, by chain.';
comment on column community_members.search_name is 'The name in lower case, for lists and search.';
create index community_members_user on community_members (user_id);
create index community_members_active on community_members (community_id, last_active_at) where last_active_at is not null;
-- Counts the holders of a role.
create index community_members_roles on community_members using gin (role_ids) where left_at is null;
create index community_members_name on community_members (community_id, search_name, user_id)
  where left_at is null and not is_bot;
-- The operator searches by a prefix of the name.
create index community_members_any_name on community_members (lower(user_name) text_pattern_ops) where user_name is not null;

-- Returns the communities that the tenant manages, and those it is a member of.
create function administered() returns text[]
  language sql stable parallel restricted security definer
  return array(select community_id from community_admins where user_id = current_tenant());
create function joined() returns text[]
  language sql stable parallel restricted security definer
  return array(select community_id from community_members where user_id = current_tenant() and left_at is null);

-- An admin sees everything of a community, so only the system, which asks the platform, adds communities and their
-- admins.
alter table communities enable row level security;
create policy tenant on communities for select
  using (owner_id = (select current_tenant()) or id = any ((select administered())::text[]));
create policy tenant_changes on communities for update
  using (owner_id = (select current_tenant()) or id = any ((select administered())::text[]))
  with check (owner_id = (select current_tenant()) or id = any ((select administered())::text[]));
create policy tenant_removes on communities for delete
  using (owner_id = (select current_tenant()) or id = any ((select administered())::text[]));
create policy members on communities for select using (id = any ((select joined())::text[]));
alter table community_admins enable row level security;
create policy tenant on community_admins for select using (user_id = (select current_tenant()));
alter table community_members enable row level security;
create policy tenant on community_members
  using (user_id = (select current_tenant()) or community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));

-- Keeps a community from being removed until the transaction ends. Returns its id, or no row if it does not exist.
-- To avoid a deadlock, call this before changing a row of a community and then adding another: a removal would wait for the
-- changed row, and the added row for the removal.
create function hold_community(wanted text) returns setof text language sql volatile
begin atomic
  select id from communities where id = wanted for key share;
end;

create table community_plans (
  community_id text not null references communities on delete cascade,
  plan_id text not null references plans,
  since timestamptz not null,
  until timestamptz check (until > since),
  primary key (community_id, plan_id)
);
comment on table community_plans is 'The subscription plans a community is or was on.';
comment on column community_plans.until is 'Null if it has no end date.';
alter table community_plans enable row level security;
create policy tenant on community_plans for select using (community_id = any ((select administered())::text[]));

-- Belongs to no tenant: every tenant may read it.
create table mini_app_manifests (
  app_id text primary key check (app_id ~ '^[A-Za-z0-9._-]{1,100}$'),
  manifest jsonb not null check (jsonb_typeof(manifest) = 'object'),
  registered_at timestamptz not null,
  withdrawn_at timestamptz
);
comment on table mini_app_manifests is 'Mini-apps that can be installed.';
comment on column mini_app_manifests.withdrawn_at is 'Since when the app is delisted: it stays installed, but is inactive until it is listed again.';

create table community_apps (
  community_id text not null references communities on delete cascade,
  app_id text not null references mini_app_manifests on delete cascade,
  admin_id text not null,
  manifest jsonb not null,
  installed_version text not null,
  metadata jsonb not null check (jsonb_typeof(metadata) = 'object'),
  installed_at timestamptz not null,
  primary key (community_id, app_id)
);
comment on table community_apps is 'Which mini-app is installed in which community, and the user who installed it.';
comment on column community_apps.manifest is 'The manifest that the admin agreed to.';
alter table community_apps enable row level security;
create policy tenant on community_apps
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));

-- Only the system, which checks who manages the community, can access it.
create table community_access (
  community_id text not null references communities (id) on delete cascade,
  client_id text not null references client_apps (id) on delete cascade,
  scopes text[] not null check (scopes <> '{}'),
  granted_by_id text not null,
  granted_at timestamptz not null,
  primary key (community_id, client_id)
);
comment on table community_access is 'The applications that admins gave access to their community, and the scopes they may use there.';
create index community_access_client on community_access (client_id, community_id);
create index community_access_granter on community_access (granted_by_id);
alter table community_access enable row level security;

create table community_wallets (
  community_id text primary key references communities on delete cascade,
  created_by_id text not null,
  owner_address text not null,
  safe_address text not null,
  chain_id bigint not null,
  created_at timestamptz not null
);
comment on table community_wallets is 'The wallet of each community: a Safe, which may not be deployed yet.';
alter table community_wallets enable row level security;
create policy tenant on community_wallets
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));

create table community_pictures (
  community_id text primary key references communities (id) on delete cascade,
  version text check (length(version) <= 512),
  digest text check (digest ~ '^[0-9a-f]{64}$'),
  type text check (type in ('image/gif', 'image/jpeg', 'image/png', 'image/webp')),
  bytes bytea check (octet_length(bytes) between 1 and 262144),
  checked_at timestamptz not null,
  check (num_nulls(digest, type, bytes) in (0, 3))
);
comment on table community_pictures is 'The icon of a community on its platform, stored here so that browsers do not load it from another server. A row without bytes means that there is none.';
comment on column community_pictures.version is 'The platform’s version of the picture.';
comment on column community_pictures.digest is 'SHA-256 of the bytes, as hex, which is the address of the picture.';
create index community_pictures_digest on community_pictures (digest) where digest is not null;

create table community_interactions (
  community_id text not null references communities on delete cascade,
  hour timestamptz not null,
  kind text not null check (kind in ('message', 'command', 'button', 'join', 'leave')),
  count integer not null check (count > 0),
  primary key (community_id, hour, kind)
);
comment on table community_interactions is 'How much a community was used, by hour and kind of use, without user ids.';
alter table community_interactions enable row level security;
create policy tenant on community_interactions
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));

create table member_lists (
  community_id text primary key references communities on delete cascade,
  listed_at timestamptz not null,
  listed integer not null check (listed >= 0),
  is_complete boolean not null,
  reason text
);
comment on table member_lists is 'How the last listing of the members of a community ended. Admins are notified of incomplete ones.';

create table bot_arrivals (
  platform text not null,
  community_id text not null,
  name text not null,
  owner_id text,
  arrived_at timestamptz not null,
  primary key (platform, community_id)
);
comment on table bot_arrivals is 'Servers that the bot has joined but that were not added yet, so that the user who invited it finds them.';
create index bot_arrivals_newest on bot_arrivals (arrived_at);
create index bot_arrivals_owner on bot_arrivals (owner_id);
alter table bot_arrivals enable row level security;

create table discord_interactions (
  id_hash hashed_secret primary key,
  community_id text,
  handle sealed_secret not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  app_id text,
  user_id text,
  discord_id text
);
comment on table discord_interactions is 'What is needed to continue a Discord interaction, under an id that cannot be guessed, for the 15 minutes that Discord allows.';
comment on column discord_interactions.handle is 'The application id and the token of the interaction.';
comment on column discord_interactions.app_id is 'The mini-app that the interaction was forwarded to.';
comment on column discord_interactions.user_id is 'The user who started it.';
comment on column discord_interactions.discord_id is 'Its id on Discord, which the mini-app library puts into buttons that ask for permissions.';
create index discord_interactions_expiry on discord_interactions (expires_at);
create index discord_interactions_discord_id on discord_interactions (discord_id) where discord_id is not null;
-- Rows have no owner: knowing the id is enough.
alter table discord_interactions enable row level security;
create policy tenant on discord_interactions
  using ('' = (select current_tenant())) with check ('' = (select current_tenant()));

create table guest_passes (
  id text primary key,
  community_id text not null references communities on delete cascade,
  name text not null,
  description text,
  role_set jsonb not null,
  status text not null check (status in ('active', 'inactive')),
  period_seconds integer not null check (period_seconds > 0),
  created_by_id text not null,
  created_at timestamptz not null,
  deleted_at timestamptz
);
comment on table guest_passes is 'Passes that grant temporary roles to members who do not qualify by any rule.';
comment on column guest_passes.role_set is 'The roles it grants, as the API shows them: id, name, color.';
comment on column guest_passes.deleted_at is 'A deleted pass is kept as long as a member may still have its roles.';
create index guest_passes_community on guest_passes (community_id) where deleted_at is null;
alter table guest_passes enable row level security;
create policy tenant on guest_passes
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));

create table guest_pass_grants (
  id text primary key,
  pass_id text not null references guest_passes on delete cascade,
  community_id text not null references communities on delete cascade,
  user_id text not null,
  role_ids text[] not null,
  given_role_ids text[] not null default '{}',
  issued_by_id text not null,
  issued_at timestamptz not null,
  ends_at timestamptz not null,
  ended_at timestamptz,
  applied_at timestamptz,
  problem text
);
comment on table guest_pass_grants is 'Guest passes that were issued to members.';
comment on column guest_pass_grants.given_role_ids is 'The roles that the member did not have before: only these are removed at the end.';
comment on column guest_pass_grants.applied_at is 'When the roles were last found to be right.';
create unique index guest_pass_grants_running on guest_pass_grants (pass_id, user_id) where ended_at is null;
create index guest_pass_grants_member on guest_pass_grants (community_id, user_id) where ended_at is null;
create index guest_pass_grants_due on guest_pass_grants (ends_at) where ended_at is null;
alter table guest_pass_grants enable row level security;
create policy tenant on guest_pass_grants
  using (user_id = (select current_tenant()) or community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));

create sequence reconcile_queue_versions;
create table reconcile_queue (
  community_id text not null references communities on delete cascade,
  user_id text not null,
  cause text not null check (cause in ('requested', 'schedule', 'wallet', 'chain', 'rule', 'joined', 'manual-change')),
  is_requested boolean not null,
  role_ids text[] not null,
  rule_change_ids bigint[] not null default '{}',
  attempts integer not null default 0,
  due_at timestamptz,
  version bigint not null default nextval('reconcile_queue_versions'),
  since timestamptz not null default now(),
  primary key (community_id, user_id)
) with (
  -- Every check leaves a dead row behind.
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 1000
);
comment on table reconcile_queue is 'The queue of members whose roles must be re-checked.';
comment on column reconcile_queue.user_id is '* means every member.';
comment on column reconcile_queue.is_requested is 'An admin requested this check, which also lifts suppressions that an undo left.';
comment on column reconcile_queue.role_ids is 'The roles whose rules changed, if this is about every member.';
comment on column reconcile_queue.rule_change_ids is 'The rule changes that this check follows from.';
comment on column reconcile_queue.attempts is 'How often the result was unknown so far.';
comment on column reconcile_queue.due_at is 'Null is due at once.';
comment on column reconcile_queue.version is 'A check removes only the entry that it started from, not one that was added in the meantime.';
comment on column reconcile_queue.since is 'Since when the check is due, to measure how long members wait for a role.';
create index reconcile_queue_due on reconcile_queue (due_at nulls first);
alter table reconcile_queue enable row level security;
create policy tenant on reconcile_queue
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));
