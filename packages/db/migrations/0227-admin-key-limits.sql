-- An admin key may end by itself, and may be bound to the addresses it is used from: single ones, or networks. Without
-- any it may come from everywhere.
alter table admin_keys add column expires_at timestamptz;
alter table admin_keys add column allowed_ip_addresses text[] not null default '{}';
