-- Passes that give roles for a while to people whom no rule would give them.
create table guest_passes (
  id text primary key,
  community_id text not null references communities on delete cascade,
  name text not null,
  description text,
  -- The roles it gives, as the API shows them: id, name, color.
  role_set jsonb not null,
  status text not null check (status in ('active', 'inactive')),
  period_seconds integer not null check (period_seconds > 0),
  created_by_id text not null,
  created_at timestamptz not null,
  -- A pass that is gone stays as long as somebody may still hold its roles.
  deleted_at timestamptz
);
create index guest_passes_community on guest_passes (community_id) where deleted_at is null;

-- A pass in somebody's hand, until it ends.
create table guest_pass_grants (
  id text primary key,
  pass_id text not null references guest_passes on delete cascade,
  community_id text not null references communities on delete cascade,
  user_id text not null,
  role_ids text[] not null,
  -- Those of the roles that the pass gave, and the member did not have already: only these are taken back.
  given_role_ids text[] not null default '{}',
  issued_by_id text not null,
  issued_at timestamptz not null,
  ends_at timestamptz not null,
  ended_at timestamptz,
  -- When the roles were last found to be as they should.
  applied_at timestamptz,
  problem text
);
create unique index guest_pass_grants_running on guest_pass_grants (pass_id, user_id) where ended_at is null;
create index guest_pass_grants_member on guest_pass_grants (community_id, user_id) where ended_at is null;
create index guest_pass_grants_due on guest_pass_grants (ends_at) where ended_at is null;

alter table guest_passes enable row level security;
alter table guest_passes force row level security;
create policy tenant on guest_passes using (administers(community_id)) with check (administers(community_id));
alter table guest_pass_grants enable row level security;
alter table guest_pass_grants force row level security;
create policy tenant on guest_pass_grants
  using (sees(user_id) or administers(community_id))
  with check (administers(community_id));
