-- How often members used a community, by the hour and the kind of use. Nobody in particular is counted.
create table community_interactions (
  community_id text not null references communities on delete cascade,
  hour timestamptz not null,
  kind text not null check (kind in ('message', 'command', 'button', 'join', 'leave')),
  count integer not null check (count > 0),
  primary key (community_id, hour, kind)
);
alter table community_interactions enable row level security;
alter table community_interactions force row level security;
create policy tenant on community_interactions using (administers(community_id)) with check (administers(community_id));
