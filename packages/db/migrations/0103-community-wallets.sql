-- One wallet for each community: a Safe that need not be deployed yet, and the sealed key of its owner.
create table community_wallets (
  community_id text primary key references communities on delete cascade,
  created_by_id text not null,
  owner_address text not null,
  owner_key sealed_secret not null,
  safe_address text not null,
  chain_id bigint not null,
  created_at timestamptz not null
);
alter table community_wallets enable row level security;
alter table community_wallets force row level security;
create policy tenant on community_wallets using (administers(community_id)) with check (administers(community_id));
