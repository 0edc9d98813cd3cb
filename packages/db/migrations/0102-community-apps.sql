-- What is known of mini-apps that can be installed. Not a tenant's: everyone may read it.
create table mini_app_manifests (
  app_id text primary key check (app_id ~ '^[A-Za-z0-9._-]{1,100}$'),
  manifest jsonb not null check (jsonb_typeof(manifest) = 'object'),
  registered_at timestamptz not null
);

-- Which mini-app is installed where, and by whom.
create table community_apps (
  community_id text not null references communities on delete cascade,
  app_id text not null references mini_app_manifests on delete cascade,
  admin_id text not null,
  -- The manifest as it was agreed to.
  manifest jsonb not null,
  installed_version text not null,
  metadata jsonb not null check (jsonb_typeof(metadata) = 'object'),
  installed_at timestamptz not null,
  primary key (community_id, app_id)
);
alter table community_apps enable row level security;
alter table community_apps force row level security;
create policy tenant on community_apps using (administers(community_id)) with check (administers(community_id));
