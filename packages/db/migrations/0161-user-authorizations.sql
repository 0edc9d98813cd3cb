-- What people allowed applications.
create table user_authorizations (
  user_id text not null,
  client_id text not null references client_apps on delete cascade,
  scopes text[] not null,
  -- The person is not asked again for these scopes.
  is_remembered boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (user_id, client_id)
);
create index user_authorizations_by_client on user_authorizations (client_id);

alter table user_authorizations enable row level security;
alter table user_authorizations force row level security;
create policy tenant on user_authorizations using (sees(user_id)) with check (sees(user_id));

-- What somebody said to one request of an application, until the browser comes back with it.
create table consent_decisions (
  slug_hash hashed_secret not null,
  user_id text not null,
  scopes text[] not null,
  expires_at timestamptz not null,
  primary key (slug_hash, user_id)
);
create index consent_decisions_expiry on consent_decisions (expires_at);

alter table consent_decisions enable row level security;
alter table consent_decisions force row level security;
create policy tenant on consent_decisions using (sees(user_id)) with check (sees(user_id));
