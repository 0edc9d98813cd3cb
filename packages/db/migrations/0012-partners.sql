-- Services of partners: Snapshot, support tickets and the waiting list.

create table snapshot_links (
  community_id text not null references communities on delete cascade,
  space text not null,
  channel_ids text[] not null,
  created_by_id text not null,
  created_at timestamptz not null,
  primary key (community_id, space)
);
comment on table snapshot_links is 'The Snapshot spaces that a community follows, and the channels that receive their news.';
create index snapshot_links_space on snapshot_links (space);
alter table snapshot_links enable row level security;
create policy tenant on snapshot_links
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));

create table snapshot_events (
  id text not null,
  event text not null,
  space text not null,
  due_at timestamptz not null,
  received_at timestamptz not null,
  primary key (id, event)
);
comment on table snapshot_events is 'Events that Snapshot reported, once each: a proposal, and what happened to it.';
create index snapshot_events_age on snapshot_events (received_at);
alter table snapshot_events enable row level security;
create policy tenant on snapshot_events
  using ('' = (select current_tenant())) with check ('' = (select current_tenant()));

create table snapshot_posts (
  event_id text not null,
  event text not null,
  channel_id text not null,
  community_id text not null references communities on delete cascade,
  message_id text,
  posted_at timestamptz,
  problem text,
  primary key (event_id, event, channel_id),
  foreign key (event_id, event) references snapshot_events on delete cascade
);
comment on table snapshot_posts is 'One message per event and channel, posted or not yet.';
comment on column snapshot_posts.problem is 'Why it will never be posted.';
create index snapshot_posts_community on snapshot_posts (community_id);
alter table snapshot_posts enable row level security;
create policy tenant on snapshot_posts
  using (community_id = any ((select administered())::text[])) with check ('' = (select current_tenant()));

create table support_requesters (
  id bigint generated always as identity (start with 1001) primary key,
  email text not null unique
);
comment on table support_requesters is 'Users who requested support, by their reply address.';
-- Only the system looks up email addresses.
alter table support_requesters enable row level security;
create policy tenant on support_requesters
  using ('' = (select current_tenant())) with check ('' = (select current_tenant()));

create sequence support_ticket_ids;
create table support_tickets (
  desk text not null check (desk in ('own', 'freshdesk')),
  id bigint not null,
  created_by_id text not null,
  community_id text not null,
  email text not null,
  requester_id bigint references support_requesters,
  content jsonb,
  status integer,
  priority integer,
  responder_id bigint,
  is_spam boolean not null default false,
  is_deleted boolean not null default false,
  due_by timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (desk, id)
);
comment on table support_tickets is 'Support tickets of the built-in help desk; for an external one, only whose ticket it is.';
comment on column support_tickets.requester_id is 'This and the columns up to due_by are null if an external help desk stores them.';
comment on column support_tickets.content is 'Fields without an effect here: subject, description, type, tags, cc_emails, custom_fields …';
create index support_tickets_creator on support_tickets (created_by_id, created_at desc);
create index support_tickets_requester on support_tickets (requester_id);
create index support_tickets_updated on support_tickets (desk, updated_at);
alter table support_tickets enable row level security;
create policy tenant on support_tickets
  using (created_by_id = (select current_tenant())) with check (created_by_id = (select current_tenant()));

create table waiting_list_guests (
  user_id text primary key,
  added_at timestamptz not null
);
comment on table waiting_list_guests is 'Users whom the operator lets onto the waiting list without a quote.';
alter table waiting_list_guests enable row level security;
create policy tenant on waiting_list_guests
  using (user_id = (select current_tenant())) with check ('' = (select current_tenant()));

create table waiting_list_members (
  user_id text primary key,
  method text not null check (method in ('guest', 'chain')),
  registered_at timestamptz not null
);
comment on table waiting_list_members is 'Users on the waiting list, as far as this server has to store them: those who paid are on the chain.';
comment on column waiting_list_members.method is 'How they got on the list: as a guest of the operator, or by paying on the chain.';
alter table waiting_list_members enable row level security;
create policy tenant on waiting_list_members
  using (user_id = (select current_tenant())) with check (user_id = (select current_tenant()));

create table paymaster_grants (
  id bigint generated always as identity primary key,
  owner text not null,
  granted_at timestamptz not null,
  transactions integer not null check (transactions > 0)
);
comment on table paymaster_grants is 'Transactions whose gas this server agreed to pay, for the limit of each sender.';
create index paymaster_grants_owner on paymaster_grants (owner, granted_at);
create index paymaster_grants_age on paymaster_grants (granted_at);
alter table paymaster_grants enable row level security;
create policy tenant on paymaster_grants
  using ('' = (select current_tenant())) with check ('' = (select current_tenant()));
