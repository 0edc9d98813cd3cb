-- Personal invites into Discord servers that give the roles which their holder qualifies for.
create table role_invite_settings (
  community_id text primary key references communities on delete cascade,
  channel_id text not null,
  turned_on_at timestamptz not null,
  turned_on_by text
);
comment on table role_invite_settings is 'The Discord servers that offer role invites, and the channel in which these are created. One row for each.';
create index role_invite_settings_by on role_invite_settings (turned_on_by) where turned_on_by is not null;

-- No reference to the community: what is open must still be revoked after it is deleted here.
create table role_invites (
  id text primary key,
  community_id text not null,
  guild_id text not null,
  channel_id text not null,
  user_id text,
  grants jsonb not null,
  state text not null check (state in ('creating', 'lost', 'live', 'revoking', 'used', 'ended')),
  code sealed_secret,
  code_hash hashed_secret unique,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ready_at timestamptz,
  due_at timestamptz,
  tries integer not null default 0,
  why text,
  problem text,
  ended_at timestamptz,
  check ((code is null) = (code_hash is null)),
  check ((state in ('used', 'ended')) = (ended_at is not null)),
  check ((due_at is null) = (ended_at is not null))
);
comment on table role_invites is 'One row for each role invite, written before Discord is asked to create it. What has ended stays for 90 days.';
comment on column role_invites.user_id is 'The only person who can use it; null once they were erased.';
comment on column role_invites.grants is 'The roles that it gives, each with the reason and the blocks that it was decided at.';
comment on column role_invites.state is 'lost: Discord may have created it, but nobody knows the code. revoking: it must not be used any more.';
comment on column role_invites.ready_at is 'When Discord had processed who may use it. The code is not shown before.';
comment on column role_invites.due_at is 'When it is checked again; while it is being created, when that counts as failed.';
comment on column role_invites.why is 'Why it is revoked or has ended.';
comment on column role_invites.problem is 'Why it could not be revoked so far.';
create unique index role_invites_open on role_invites (community_id, user_id) where state in ('creating', 'live');
create index role_invites_user on role_invites (user_id) where user_id is not null;
create index role_invites_community on role_invites (community_id, state);
create index role_invites_due on role_invites (due_at) where due_at is not null;
create index role_invites_ended on role_invites (ended_at) where ended_at is not null;
