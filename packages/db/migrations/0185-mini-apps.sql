-- Mini-apps that developers registered. One that is LISTED has its manifest in mini_app_manifests under the same id.
create table mini_apps (
  id text primary key,
  organization_id text not null references organizations on delete cascade,
  created_by_id text not null,
  name text not null,
  description text not null,
  icon text,
  feedback text,
  -- Where it is called: /metadata, /interactions and /events are below it.
  url text,
  platforms text[] not null default '{}',
  metadata jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
  status text not null check (status in ('PENDING', 'APPROVED', 'REJECTED', 'REVOKED', 'LISTED')),
  actions jsonb not null default '[]' check (jsonb_typeof(actions) = 'array'),
  -- The pair that signs what is sent to its webhook; the private half is shown to the developer once.
  public_key text not null,
  private_key sealed_secret not null,
  -- What it said of itself when it was last looked at, as far as it was understood.
  profile jsonb check (jsonb_typeof(profile) = 'object'),
  probed_at timestamptz,
  created_at timestamptz not null
);
create index mini_apps_organization on mini_apps (organization_id, created_at);
create index mini_apps_probes on mini_apps (probed_at) where status = 'LISTED';
alter table mini_apps enable row level security;
alter table mini_apps force row level security;
create policy tenant on mini_apps using (sees(created_by_id)) with check (sees(created_by_id));
