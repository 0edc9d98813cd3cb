-- Thanks that members of a community gave each other, each with the credential that proves it.
create table kudos (
  id text primary key,
  community_id text not null references communities on delete cascade,
  from_user_id text not null,
  to_user_id text not null check (to_user_id <> from_user_id),
  kind text not null,
  words text not null,
  -- The verifiable credential, as it is shown to anybody who wants proof.
  jwt text not null,
  given_at timestamptz not null
);
create index kudos_received on kudos (to_user_id, given_at desc);
create index kudos_sent on kudos (from_user_id, given_at desc);
create index kudos_community on kudos (community_id);

alter table kudos enable row level security;
alter table kudos force row level security;
create policy tenant on kudos
  using (sees(from_user_id) or sees(to_user_id) or administers(community_id))
  with check (sees(from_user_id));
