-- Secrets that the server makes by itself and keeps for ever: keys whose signatures outside parties hold on to.
create table kept_secrets (
  name text not null,
  -- The highest one is used; the others stay, since what was signed with them must stay verifiable.
  version integer not null check (version > 0),
  secret sealed_secret not null,
  created_at timestamptz not null,
  primary key (name, version)
);
alter table kept_secrets enable row level security;
alter table kept_secrets force row level security;
create policy tenant on kept_secrets using (sees('')) with check (sees(''));
