-- What happened in a community, in order. Webhooks get the same events.
create table community_events (
  id text primary key,
  community_id text not null,
  member_id text,
  type text not null,
  body text not null,
  created_at timestamptz not null,
  written bigint generated always as identity,
  position bigint
);
comment on table community_events is 'The event log of each community, kept for 30 days. An event is written in the transaction of the change that it reports.';
comment on column community_events.member_id is 'The member that it is about, if it is a single one.';
comment on column community_events.body is 'The same text that webhooks send.';
comment on column community_events.written is 'When it was written, in order. A transaction that wrote earlier may commit later, so readers follow positions.';
comment on column community_events.position is 'The place in the log of its community. Assigned after the commit, one event after the other, so that none appears before one that was already read. Null until someone reads the log.';
create index community_events_unread on community_events (community_id, written) where position is null;
create unique index community_events_position on community_events (community_id, position) where position is not null;
create index community_events_type on community_events (community_id, type, position) where position is not null;
create index community_events_member on community_events (community_id, member_id, position) where position is not null;
create index community_events_age on community_events (created_at);
create index community_events_of_member on community_events (member_id) where member_id is not null;
alter table community_events enable row level security;
create policy reading on community_events for select using (community_id = any ((select administered())::text[]));
create policy adding on community_events for insert with check (community_id = any ((select administered())::text[]));

-- Only the system can access it.
create table event_streams (
  community_id text primary key,
  last_position bigint not null default 0,
  removed_through bigint not null default 0
);
comment on table event_streams is 'How far the event log of each community goes. Its lock makes the assignment of positions wait for the one before.';
comment on column event_streams.removed_through is 'Events up to this position may have been removed because of their age.';
alter table event_streams enable row level security;

-- An admin who changes something also notifies the applications of the community’s owner.
create policy reporting on events for insert
  with check (owner_id in (select owner_id from communities where id = any ((select administered())::text[])));
