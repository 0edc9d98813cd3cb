-- Changes of roles that belong together: seen beforehand, held, applied and undone as one.
create table change_sets (
  id text primary key,
  community_id text not null references communities on delete cascade,
  cause text not null,
  status text not null check (
    status in ('previewed', 'held', 'approved', 'applying', 'done', 'failed', 'undone', 'rejected')
  ),
  -- Why it is held, or what keeps it from going on; a sentence for a person.
  note text,
  undoes text references change_sets on delete set null,
  -- Goes before plans that concern everybody.
  is_urgent boolean not null,
  grants integer not null,
  revokes integer not null,
  -- How many members are written to, one call each.
  calls integer not null,
  -- Members whose decision was unknown, so that nothing was taken from them.
  unknowns integer not null,
  -- Who approved, rejected or asked; null when the platform decided alone.
  decided_by text,
  decided_at timestamptz,
  created_at timestamptz not null,
  finished_at timestamptz
);
create index change_sets_community on change_sets (community_id, created_at desc, id desc);
create index change_sets_open on change_sets (community_id) where status in ('held', 'approved', 'applying', 'failed');
create index change_sets_finished on change_sets (finished_at) where finished_at is not null;
create index change_sets_previewed on change_sets (created_at) where status = 'previewed';
create sequence change_set_ranks;

-- One role of one member, to be given or taken.
--   planned    waits for an admin
--   pending    may be written
--   sent       being written; after a crash nobody knows whether it was
--   confirmed  read back from the platform, and in the ledger
--   failed     given up after several tries
--   gone       the member has left
--   dropped    a later decision took its place, or nothing was left to do
create table change_set_items (
  plan_id text not null references change_sets on delete cascade,
  community_id text not null,
  user_id text not null,
  role_id text not null,
  action text not null check (action in ('grant', 'revoke')),
  state text not null check (state in ('planned', 'pending', 'sent', 'confirmed', 'failed', 'gone', 'dropped')),
  -- The order of writing within a community: urgent plans first, then older ones.
  rank bigint not null,
  reason jsonb not null,
  -- The blocks that the decision was read at, by chain.
  blocks jsonb not null,
  tries integer not null default 0,
  due_at timestamptz,
  claimed_by text,
  claimed_until timestamptz,
  last_error text,
  primary key (plan_id, user_id, role_id)
);
create index change_set_items_next on change_set_items (community_id, rank, user_id) where state = 'pending';
-- Of two wishes for one role of one member only the later one waits.
create unique index change_set_items_pending on change_set_items (community_id, user_id, role_id) where state = 'pending';
create index change_set_items_open on change_set_items (community_id, user_id) where state in ('planned', 'pending', 'sent');
create index change_set_items_sent on change_set_items (community_id, user_id) where state = 'sent';
create index change_set_items_due on change_set_items (due_at) where state = 'pending' and due_at is not null;

-- Roles that cannot be written until a person changes something on the platform. '*' stands for every role.
create table role_circuit_breakers (
  community_id text not null references communities on delete cascade,
  role_id text not null,
  advice text not null,
  since timestamptz not null,
  primary key (community_id, role_id)
);

-- What an undo or a rejection put back: left alone until an admin asks for a check or the role's rules change.
create table role_suppressions (
  community_id text not null references communities on delete cascade,
  user_id text not null,
  role_id text not null,
  plan_id text not null,
  since timestamptz not null,
  primary key (community_id, user_id, role_id)
);

-- Who was given or lost which role, when and why. It outlives the community, and nothing in it is ever changed.
create table role_ledger (
  id bigint generated always as identity primary key,
  community_id text not null,
  user_id text not null,
  role_id text not null,
  action text not null check (action in ('grant', 'revoke')),
  at timestamptz not null,
  plan_id text not null,
  -- No person approved it: such removals count towards the brake.
  is_automatic boolean not null,
  reason jsonb not null,
  blocks jsonb not null,
  unique (plan_id, user_id, role_id)
);
create index role_ledger_at on role_ledger (community_id, role_id, user_id, at desc, id desc);
create index role_ledger_removals on role_ledger (community_id, role_id, at) where action = 'revoke' and is_automatic;

create function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  raise exception 'The role ledger is only ever added to.';
end
$$;
create trigger role_ledger_append_only before update or delete on role_ledger
  for each statement execute function refuse_ledger_change();

alter table change_sets enable row level security;
alter table change_sets force row level security;
create policy tenant on change_sets using (administers(community_id)) with check (administers(community_id));
alter table change_set_items enable row level security;
alter table change_set_items force row level security;
create policy tenant on change_set_items using (administers(community_id)) with check (administers(community_id));
alter table role_circuit_breakers enable row level security;
alter table role_circuit_breakers force row level security;
create policy tenant on role_circuit_breakers using (administers(community_id)) with check (administers(community_id));
alter table role_suppressions enable row level security;
alter table role_suppressions force row level security;
create policy tenant on role_suppressions using (administers(community_id)) with check (administers(community_id));
alter table role_ledger enable row level security;
alter table role_ledger force row level security;
create policy tenant on role_ledger
  using (sees(user_id) or administers(community_id))
  with check (administers(community_id));

-- A sweep counts the holders of a role.
create index community_members_roles on community_members using gin (role_ids) where left_at is null;
