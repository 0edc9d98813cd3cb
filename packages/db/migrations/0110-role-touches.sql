-- Members whose roles must be looked at. Like jobs this is the system's own: no tenant reads it.
create sequence reconcile_queue_versions;
create table reconcile_queue (
  community_id text not null references communities on delete cascade,
  -- '*' stands for every member.
  user_id text not null,
  cause text not null check (cause in ('asked', 'schedule', 'wallet', 'chain', 'rule', 'joined')),
  -- An admin asked for it by name, which also lifts what an undo has put aside.
  is_asked boolean not null,
  -- The roles whose rules changed; with every member only.
  role_ids text[] not null,
  -- How often the answer was unknown so far.
  attempts integer not null default 0,
  -- Null: at once.
  due_at timestamptz,
  -- A look ends only the touch that it started from, not one that came meanwhile.
  version bigint not null default nextval('reconcile_queue_versions'),
  primary key (community_id, user_id)
);
create index reconcile_queue_due on reconcile_queue (due_at nulls first);
