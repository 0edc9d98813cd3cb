-- An application has a secret that calls to it are signed with, whether or not it hears of events.
alter table webhook_endpoints
  alter column url drop not null,
  add check (url is not null or subscribe_events = '{}');

-- The applications that admins let into their community, and the scopes that they may use there. Without a row there is
-- no access. The system alone reads and writes it: it has asked who rules the community.
create table community_access (
  community_id text not null references communities (id) on delete cascade,
  client_id text not null references client_apps (id) on delete cascade,
  scopes text[] not null check (scopes <> '{}'),
  granted_by_id text not null,
  granted_at timestamptz not null,
  primary key (community_id, client_id)
);
create index community_access_client on community_access (client_id, community_id);
create index community_access_granter on community_access (granted_by_id);
alter table community_access enable row level security;

-- Where a server is reached, so that the operator's commands make tokens and links for that address.
alter table processes add column base_url text;
