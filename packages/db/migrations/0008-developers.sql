-- The developer platform: OAuth2 and OpenID Connect, user authorizations, mini-apps, and the calls of applications.

-- Ids that grant access are hashed, and their content is sealed: a stolen backup reveals neither. Only the system can
-- access these tables.
create table oauth_accounts (
  user_id text primary key,
  platform text not null,
  name text,
  seen_at timestamptz not null
);
comment on table oauth_accounts is 'Users who signed in to an application, and their name at the time.';

create table oauth_grants (
  id text primary key,
  user_id text not null,
  client_id text not null references client_apps on delete cascade,
  content jsonb not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz
);
comment on table oauth_grants is 'One authorization of an application by a user. Its code and all its tokens end with it.';
create index oauth_grants_by_user on oauth_grants (user_id, client_id);
create index oauth_grants_by_client on oauth_grants (client_id);
create index oauth_grants_expiry on oauth_grants (expires_at);

create table oauth_artifacts (
  kind text not null check (kind in ('session', 'interaction', 'code', 'refresh-token')),
  id_hash hashed_secret not null,
  uid_hash hashed_secret,
  user_id text,
  grant_id text references oauth_grants on delete cascade,
  content sealed_secret not null,
  consumed_at timestamptz,
  expires_at timestamptz not null,
  primary key (kind, id_hash)
);
comment on table oauth_artifacts is 'Sessions, interactions, codes and refresh tokens of the OAuth2 provider.';
comment on column oauth_artifacts.uid_hash is 'A second id by which sessions are found.';
comment on column oauth_artifacts.consumed_at is 'Codes and refresh tokens work once: the request that sets this first has used it.';
create index oauth_artifacts_by_uid on oauth_artifacts (uid_hash) where uid_hash is not null;
create index oauth_artifacts_by_grant on oauth_artifacts (grant_id) where grant_id is not null;
create index oauth_artifacts_by_user on oauth_artifacts (user_id) where user_id is not null;
create index oauth_artifacts_expiry on oauth_artifacts (expires_at);

create table access_tokens (
  token_hash hashed_secret primary key,
  user_id text,
  platform text,
  user_name text,
  client_id text,
  scopes text[] not null,
  issued_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  grant_id text references oauth_grants on delete cascade,
  details jsonb,
  relied_on jsonb
);
comment on table access_tokens is 'OAuth2 access tokens.';
comment on column access_tokens.details is 'Data that the OAuth2 library needs again; nothing secret.';
comment on column access_tokens.relied_on is 'The roles and holdings that the token relies on: it is valid only as long as the user has them.';
create index access_tokens_expiry on access_tokens (expires_at);
create index access_tokens_by_grant on access_tokens (grant_id) where grant_id is not null;
create index access_tokens_by_user on access_tokens (user_id, client_id) where user_id is not null;

-- A token can be issued while its grant ends. The lock makes one wait for the other, and the token starts out revoked.
create function revoke_token_of_ended_grant() returns trigger language plpgsql as $$
begin
  select coalesce(new.revoked_at, g.revoked_at) into new.revoked_at
    from oauth_grants g where g.id = new.grant_id for share;
  return new;
end
$$;
create trigger access_tokens_of_ended_grant before insert on access_tokens
  for each row when (new.grant_id is not null) execute function revoke_token_of_ended_grant();
create function end_tokens_of_grant() returns trigger language plpgsql as $$
begin
  update access_tokens set revoked_at = new.revoked_at where grant_id = new.id and revoked_at is null;
  delete from oauth_artifacts where grant_id = new.id and kind in ('code', 'refresh-token');
  return null;
end
$$;
create trigger oauth_grants_end_tokens after update of revoked_at on oauth_grants
  for each row when (old.revoked_at is null and new.revoked_at is not null) execute function end_tokens_of_grant();

create table user_authorizations (
  user_id text not null,
  client_id text not null references client_apps on delete cascade,
  scopes text[] not null,
  is_remembered boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (user_id, client_id)
);
comment on table user_authorizations is 'What users allowed applications to do.';
comment on column user_authorizations.is_remembered is 'The user is not asked again for these scopes.';
create index user_authorizations_by_client on user_authorizations (client_id);
alter table user_authorizations enable row level security;
create policy tenant on user_authorizations
  using (user_id = (select current_tenant())) with check (user_id = (select current_tenant()));

create table consent_decisions (
  slug_hash hashed_secret not null,
  user_id text not null,
  scopes text[] not null,
  expires_at timestamptz not null,
  primary key (slug_hash, user_id)
);
comment on table consent_decisions is 'What a user decided on the consent page, until the browser returns with it.';
create index consent_decisions_expiry on consent_decisions (expires_at);
alter table consent_decisions enable row level security;
create policy tenant on consent_decisions
  using (user_id = (select current_tenant())) with check (user_id = (select current_tenant()));

create table mini_apps (
  id text primary key,
  organization_id text not null references organizations on delete cascade,
  created_by_id text not null,
  name text not null,
  description text not null,
  icon text,
  feedback text,
  url text,
  platforms text[] not null default '{}',
  metadata jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
  status text not null check (status in ('PENDING', 'APPROVED', 'REJECTED', 'REVOKED', 'LISTED')),
  actions jsonb not null default '[]' check (jsonb_typeof(actions) = 'array'),
  public_key text not null,
  private_key sealed_secret not null,
  profile jsonb check (jsonb_typeof(profile) = 'object'),
  probed_at timestamptz,
  created_at timestamptz not null,
  signature text check (signature in ('ed25519', 'ecdsa', 'both')),
  tried_at timestamptz
);
comment on table mini_apps is 'Mini-apps that developers registered. A listed one has its manifest in mini_app_manifests under the same id.';
comment on column mini_apps.url is 'The base URL of its /metadata, /interactions and /events.';
comment on column mini_apps.actions is 'The audit trail of its reviews, oldest first.';
comment on column mini_apps.public_key is 'The key pair that signs calls to its webhook; the private key is shown to the developer once.';
comment on column mini_apps.profile is 'What its /metadata returned at the last probe, as far as it was valid.';
comment on column mini_apps.signature is 'The signatures that it verifies, as detected by a probe.';
comment on column mini_apps.tried_at is 'When it was last probed, apart from the weekly probe.';
create index mini_apps_organization on mini_apps (organization_id, created_at);
create index mini_apps_probes on mini_apps (probed_at) where status = 'LISTED';
alter table mini_apps enable row level security;
create policy tenant on mini_apps
  using (created_by_id = (select current_tenant())) with check (created_by_id = (select current_tenant()));
create trigger mini_apps_begin_pending before insert on mini_apps for each row
  when (row_security_active('mini_apps'::regclass) and new.status <> 'PENDING')
  execute function refuse_own_approval();
create trigger mini_apps_stay_as_decided before update on mini_apps for each row
  when (row_security_active('mini_apps'::regclass) and new.status is distinct from old.status)
  execute function refuse_own_approval();

create table permission_questions (
  secret_hash hashed_secret primary key,
  user_id text not null,
  community_id text not null,
  app_id text not null,
  client_id text not null,
  scopes text[] not null,
  pressed sealed_secret not null,
  expires_at timestamptz not null
);
comment on table permission_questions is 'Permissions that a mini-app requests from a user in a chat. The server asks in its own message, whose button contains a secret that the app never sees.';
comment on column permission_questions.pressed is 'The button of the app that was pressed, with its message, which is passed to the app afterwards. Sealed, since it lets the app continue the interaction.';
create index permission_questions_expiry on permission_questions (expires_at);
-- Rows have no owner: knowing the secret is enough.
alter table permission_questions enable row level security;
create policy tenant on permission_questions
  using ('' = (select current_tenant())) with check ('' = (select current_tenant()));

create table app_calls (
  id bigint generated always as identity primary key,
  client_id text not null references client_apps (id) on delete cascade,
  owner_id text not null,
  called_at timestamptz not null,
  method text not null,
  route text not null,
  status integer not null,
  error_code text,
  took_ms integer not null,
  request_id text not null,
  credential text not null check (credential in ('api-key', 'old-api-key', 'token'))
);
comment on table app_calls is 'Recent API calls of each application, for its developer. They are kept for days, without request and response bodies.';
comment on column app_calls.route is 'The pattern of the path, without its values.';
create index app_calls_client on app_calls (client_id, called_at desc, id desc);
create index app_calls_owner on app_calls (owner_id);
create index app_calls_age on app_calls (called_at);
alter table app_calls enable row level security;
create policy tenant on app_calls for select using (owner_id = (select current_tenant()));

create table app_call_days (
  client_id text not null references client_apps (id) on delete cascade,
  owner_id text not null,
  day date not null,
  calls bigint not null,
  refused bigint not null,
  failed bigint not null,
  primary key (client_id, day)
);
comment on table app_call_days is 'How many API calls each application made per day.';
create index app_call_days_owner on app_call_days (owner_id);
alter table app_call_days enable row level security;
create policy tenant on app_call_days for select using (owner_id = (select current_tenant()));

create table app_key_uses (
  client_id text primary key references client_apps (id) on delete cascade,
  owner_id text not null,
  key_used_at timestamptz,
  old_key_used_at timestamptz
);
comment on table app_key_uses is 'When the API keys of an application were last used.';
create index app_key_uses_owner on app_key_uses (owner_id);
alter table app_key_uses enable row level security;
create policy tenant on app_key_uses for select using (owner_id = (select current_tenant()));
