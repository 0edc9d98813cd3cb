-- Client applications: who may call the API, from where, and with which scopes. Keys are kept as hashes only.
create table client_apps (
  id text primary key,
  created_by_id text not null,
  created_by_name text,
  organization_id text references organizations (id),
  name text not null,
  email text,
  tenant text,
  feedback text,
  url text,
  icon text,
  client_type text not null check (client_type in ('confidential', 'public', 'apiKey')),
  redirect_uris text[] not null,
  allowed_grant_types text[] not null,
  requested_scopes text[] not null,
  -- Empty until an operator grants some. Never null, since null would mean every scope.
  allowed_scopes text[] not null,
  disallowed_scopes text[] not null,
  api_key_hash hashed_secret not null,
  client_secret_hash hashed_secret,
  allowed_origins text[] not null,
  allowed_referrers text[] not null,
  allowed_ip_addresses text[] not null,
  status text not null check (status in ('PENDING', 'APPROVED', 'REJECTED', 'REVOKED', 'LISTED')),
  -- The audit trail, oldest first.
  actions jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Only a confidential client can keep a secret.
  check (client_secret_hash is null or client_type = 'confidential')
);

create unique index client_apps_api_key on client_apps (api_key_hash);
create index client_apps_by_owner on client_apps (created_by_id, created_at desc, id desc);
create index client_apps_by_organization on client_apps (organization_id) where organization_id is not null;
create index client_apps_by_status on client_apps (status, created_at desc);

alter table client_apps enable row level security;
alter table client_apps force row level security;
create policy tenant on client_apps using (sees(created_by_id)) with check (sees(created_by_id));

-- The origins of applications that work, for browsers' questions before a call. Anybody may ask those, so each must be
-- answered from an index; and a row policy keeps PostgreSQL from using one on the list in client_apps. No secret of
-- tenants is in here: the same questions, put to the server, answer which origins there are.
create table client_app_origins (
  origin text not null,
  client_id text not null references client_apps (id) on delete cascade,
  primary key (origin, client_id)
);
create index client_app_origins_by_client on client_app_origins (client_id);

create function copy_client_app_origins() returns trigger language plpgsql as $$
begin
  delete from client_app_origins where client_id = new.id;
  if new.status in ('APPROVED', 'LISTED') then
    insert into client_app_origins (origin, client_id) select distinct unnest(new.allowed_origins), new.id;
  end if;
  return null;
end
$$;

create trigger client_apps_copy_origins after insert or update of allowed_origins, status on client_apps
  for each row execute function copy_client_app_origins();
