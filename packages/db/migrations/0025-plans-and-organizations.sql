-- What an organization or a community pays for, and how much of the platform it may use. Not a tenant's: everyone may read it.
create table plans (
  id text primary key check (id ~ '^[A-Za-z0-9-]{1,64}$'),
  audience text not null check (audience in ('organization', 'community')),
  name text not null,
  price_cents int not null check (price_cents >= 0),
  billing_period text not null,
  min_buy_months int check (min_buy_months > 0),
  max_api_keys int not null default 3 check (max_api_keys >= 0),
  max_mini_apps int not null default 3 check (max_mini_apps >= 0),
  -- Every request is counted against these, so a row that could not be counted with is refused here.
  rate_limits jsonb not null default '[]' check (
    jsonb_typeof(rate_limits) = 'array'
    and not jsonb_path_exists(
      rate_limits,
      '$[*] ? (!(exists(@.points ? (@ > 0)) && exists(@.duration ? (@ > 0)) && exists(@.key ? (@ starts with "")) && exists(@.label ? (@ starts with "")) && exists(@.scopes ? (@ starts with ""))))'
    )
  ),
  features jsonb not null default '[]' check (jsonb_typeof(features) = 'array'),
  description text,
  -- Null leaves scopes unrestricted.
  allowed_scopes text[],
  disallowed_scopes text[] not null default '{}',
  lock_config jsonb check (jsonb_typeof(lock_config) = 'object'),
  stripe_config jsonb check (jsonb_typeof(stripe_config) = 'object'),
  created_at timestamptz not null
);

insert into plans
  (id, audience, name, price_cents, billing_period, min_buy_months, max_api_keys, max_mini_apps, rate_limits, description, created_at)
values
  ('free', 'organization', 'Free', 0, 'monthly', null, 5, 5,
   '[{"key": "second", "points": 10, "duration": 1, "label": "10 requests per second", "scopes": "$all"},
     {"key": "month", "points": 10000, "duration": 2592000, "label": "10 000 requests in 30 days", "scopes": "$all"}]',
   'For trying things out and for small projects.', '2026-01-01T00:00:00Z'),
  ('paid', 'organization', 'Paid', 0, 'monthly', 1, 500, 500,
   '[{"key": "second", "points": 15, "duration": 1, "label": "15 requests per second", "scopes": "$all"},
     {"key": "month", "points": 100000, "duration": 2592000, "label": "100 000 requests in 30 days", "scopes": "$all"}]',
   'For products with users of their own. The operator sets its price.', '2026-01-01T00:00:00Z');

-- Developers' organizations. One without verified_at has not confirmed its e-mail address yet.
create table organizations (
  id text primary key,
  created_by_id text not null,
  name text not null,
  email text not null,
  plan_id text not null references plans,
  created_at timestamptz not null,
  -- When a one-time password was last asked for.
  code_asked_at timestamptz not null,
  verified_at timestamptz
);
create index organizations_owner on organizations (created_by_id, created_at);
alter table organizations enable row level security;
alter table organizations force row level security;
create policy tenant on organizations using (sees(created_by_id)) with check (sees(created_by_id));

-- One-time passwords. Six digits can be guessed from any hash, so they are sealed; a used or replaced one is wiped, and
-- the row stays for a while to count mails.
create table organization_otps (
  id text primary key,
  organization_id text not null references organizations on delete cascade,
  created_by_id text not null,
  code sealed_secret,
  wrong_tries int not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create unique index organization_otps_current on organization_otps (organization_id) where code is not null;
create index organization_otps_mails on organization_otps (created_by_id, created_at);
alter table organization_otps enable row level security;
alter table organization_otps force row level security;
create policy tenant on organization_otps using (sees(created_by_id)) with check (sees(created_by_id));

-- One wallet for each organization: a Safe that need not be deployed yet, and the sealed key of its owner.
create table organization_wallets (
  organization_id text primary key references organizations on delete cascade,
  created_by_id text not null,
  owner_address text not null,
  owner_key sealed_secret not null,
  safe_address text not null,
  chain_id bigint not null,
  created_at timestamptz not null
);
alter table organization_wallets enable row level security;
alter table organization_wallets force row level security;
create policy tenant on organization_wallets using (sees(created_by_id)) with check (sees(created_by_id));
