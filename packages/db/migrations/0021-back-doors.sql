-- Other ways to roles that rules decide, as found in Discord servers.
create table back_doors (
  community_id text not null references communities on delete cascade,
  door_id text not null,
  role_id text not null,
  kind text not null check (kind in ('invite', 'onboarding', 'linked-role', 'purchase', 'integration', 'bot', 'staff')),
  name text not null,
  by_id text,
  by_name text,
  made_at timestamptz,
  details jsonb not null,
  found_at timestamptz not null,
  batch text,
  gone_at timestamptz,
  primary key (community_id, door_id, role_id)
);
comment on table back_doors is 'Ways to a role of a rule that go around the rules. What is gone stays for 90 days.';
comment on column back_doors.door_id is 'The same for all roles that one invite, option, bot or role gives.';
comment on column back_doors.by_id is 'Who created it, if Discord says so.';
comment on column back_doors.batch is 'The check that found it, which is one notice to admins; null if it was expected or is closed.';
create index back_doors_batch on back_doors (community_id, batch) where batch is not null;
create index back_doors_gone on back_doors (gone_at) where gone_at is not null;
create index back_doors_by on back_doors (by_id) where by_id is not null;

create table expected_back_doors (
  community_id text not null references communities on delete cascade,
  door_id text not null,
  role_ids text[],
  reason text not null,
  decided_by text,
  decided_at timestamptz not null,
  primary key (community_id, door_id)
);
comment on table expected_back_doors is 'Ways that admins marked as expected, with their reason.';
comment on column expected_back_doors.role_ids is 'The roles that it gave then; null if it may give any, as staff and bots.';
create index expected_back_doors_by on expected_back_doors (decided_by) where decided_by is not null;

create table back_door_checks (
  community_id text primary key references communities on delete cascade,
  due_at timestamptz not null,
  begun_at timestamptz,
  checked_at timestamptz,
  unchecked jsonb not null default '[]'
);
comment on table back_door_checks is 'When each Discord server was last checked for other ways to roles, and what could not be read.';
comment on column back_door_checks.begun_at is 'When the check began whose result is stored. An older one that ends later changes nothing.';
create index back_door_checks_due on back_door_checks (due_at);

-- safe: the new constraint allows everything that the old one did
alter table admin_notices drop constraint admin_notices_kind_check;
-- safe: every row satisfied the narrower constraint, so none has to be read
alter table admin_notices add constraint admin_notices_kind_check check (
  kind in ('held-change-set', 'blocked-role', 'broken-setup', 'large-change', 'rule-health', 'manual-changes', 'back-doors')
) not valid;

create table drift_checks (
  community_id text primary key references communities on delete cascade,
  due_at timestamptz not null,
  differs_since timestamptz
);
comment on table drift_checks is 'When the counts of role holders of each community are next compared with those of the platform.';
comment on column drift_checks.differs_since is 'When the last comparison found a difference; null if it found none.';
create index drift_checks_due on drift_checks (due_at);
