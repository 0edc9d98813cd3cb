-- The spaces of Snapshot that a community follows, and the channels it is told in.
create table snapshot_links (
  community_id text not null references communities on delete cascade,
  space text not null,
  channel_ids text[] not null,
  created_by_id text not null,
  created_at timestamptz not null,
  primary key (community_id, space)
);
create index snapshot_links_space on snapshot_links (space);

-- What Snapshot told, once each: a proposal and what happened to it.
create table snapshot_events (
  id text not null,
  event text not null,
  space text not null,
  due_at timestamptz not null,
  received_at timestamptz not null,
  primary key (id, event)
);
create index snapshot_events_age on snapshot_events (received_at);

-- One message for each event and channel, whether it is written yet or not.
create table snapshot_posts (
  event_id text not null,
  event text not null,
  channel_id text not null,
  community_id text not null references communities on delete cascade,
  message_id text,
  posted_at timestamptz,
  -- Why it will never be written.
  problem text,
  primary key (event_id, event, channel_id),
  foreign key (event_id, event) references snapshot_events on delete cascade
);
create index snapshot_posts_community on snapshot_posts (community_id);

alter table snapshot_links enable row level security;
alter table snapshot_links force row level security;
create policy tenant on snapshot_links using (administers(community_id)) with check (administers(community_id));
alter table snapshot_events enable row level security;
alter table snapshot_events force row level security;
create policy tenant on snapshot_events using (sees('')) with check (sees(''));
alter table snapshot_posts enable row level security;
alter table snapshot_posts force row level security;
create policy tenant on snapshot_posts using (administers(community_id)) with check (sees(''));
