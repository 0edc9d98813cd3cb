-- A linked wallet may be connected to any number of communities. A wallet that was linked without one counts in all of
-- its owner's communities but those it was disconnected from; whatever was linked before this stays like that.
alter table wallet_connections add column is_everywhere boolean not null default true;

create table wallet_communities (
  id text primary key,
  link_id text not null references wallet_connections on delete cascade,
  community_id text not null references communities on delete cascade,
  user_id text not null,
  -- False where a wallet that counts everywhere was disconnected.
  is_connected boolean not null,
  created_at timestamptz not null,
  unique (link_id, community_id)
);
create index wallet_communities_user on wallet_communities (user_id, created_at, id);
create index wallet_communities_community on wallet_communities (community_id);
alter table wallet_communities enable row level security;
create policy tenant on wallet_communities for select using (user_id = (select current_tenant()));

insert into wallet_communities (id, link_id, community_id, user_id, is_connected, created_at)
  select 'of-' || id, id, community_id, user_id, true, created_at from wallet_connections where community_id is not null;
alter table wallet_connections drop column community_id;
