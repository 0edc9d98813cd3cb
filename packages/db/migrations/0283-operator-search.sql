-- The operator finds people and communities by the beginning of their names, and people by a wallet in any spelling.
create index communities_name on communities (lower(name) text_pattern_ops);
create index community_members_any_name on community_members (lower(user_name) text_pattern_ops) where user_name is not null;
create index wallet_connections_lower_address on wallet_connections (lower(address));

-- How well each process gets answers from the endpoints of chains. Endpoints are named by their place in the settings,
-- never by their address, which may hold a key.
alter table processes add column endpoints jsonb not null default '[]';
