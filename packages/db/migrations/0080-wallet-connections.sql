-- Wallets that users have proved to own.
create table wallet_connections (
  id text primary key,
  user_id text not null,
  platform text not null,
  user_name text,
  namespace text not null,
  address text not null,
  created_at timestamptz not null,
  unique (namespace, address, user_id)
);
create index wallet_connections_address on wallet_connections (namespace, address);
alter table wallet_connections enable row level security;
alter table wallet_connections force row level security;
create policy tenant on wallet_connections using (sees(user_id)) with check (sees(user_id));
