-- Callers and their credentials: admin keys, organizations and their applications, sessions, passkeys, authenticator
-- apps and hosted wallets.

create table admin_keys (
  id text primary key,
  name text not null,
  key_hash hashed_secret not null unique,
  created_at timestamptz not null,
  revoked_at timestamptz,
  expires_at timestamptz,
  allowed_ip_addresses text[] not null default '{}'
);
comment on table admin_keys is 'API keys of the operator.';
comment on column admin_keys.allowed_ip_addresses is 'Addresses or networks that the key may be used from; empty allows all.';

create table organizations (
  id text primary key,
  created_by_id text not null,
  name text not null,
  email text not null,
  plan_id text not null references plans,
  created_at timestamptz not null,
  code_requested_at timestamptz not null,
  verified_at timestamptz
);
comment on table organizations is 'Organizations of developers.';
comment on column organizations.code_requested_at is 'When a one-time password was last requested.';
comment on column organizations.verified_at is 'When its email address was confirmed.';
create index organizations_owner on organizations (created_by_id, created_at);
alter table organizations enable row level security;
create policy tenant on organizations
  using (created_by_id = (select current_tenant())) with check (created_by_id = (select current_tenant()));

create table organization_otps (
  id text primary key,
  organization_id text not null references organizations on delete cascade,
  created_by_id text not null,
  code sealed_secret,
  wrong_tries int not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
comment on table organization_otps is 'One-time passwords that confirm the email address of an organization. Used and replaced ones are kept for a while, to count emails.';
comment on column organization_otps.code is 'Sealed, since six digits can be recovered from any hash; null once it is used or replaced.';
create unique index organization_otps_current on organization_otps (organization_id) where code is not null;
create index organization_otps_mails on organization_otps (created_by_id, created_at);
alter table organization_otps enable row level security;
create policy tenant on organization_otps
  using (created_by_id = (select current_tenant())) with check (created_by_id = (select current_tenant()));

create table organization_wallets (
  organization_id text primary key references organizations on delete cascade,
  created_by_id text not null,
  owner_address text not null,
  safe_address text not null,
  chain_id bigint not null,
  created_at timestamptz not null
);
comment on table organization_wallets is 'The wallet of each organization: a Safe, which may not be deployed yet.';
alter table organization_wallets enable row level security;
create policy tenant on organization_wallets
  using (created_by_id = (select current_tenant())) with check (created_by_id = (select current_tenant()));

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
  allowed_scopes text[] not null,
  disallowed_scopes text[] not null,
  api_key_hash hashed_secret not null,
  client_secret_hash hashed_secret,
  allowed_origins text[] not null,
  allowed_referrers text[] not null,
  allowed_ip_addresses text[] not null,
  status text not null check (status in ('PENDING', 'APPROVED', 'REJECTED', 'REVOKED', 'LISTED')),
  actions jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  api_key_made_at timestamptz,
  old_api_key_hash hashed_secret,
  old_api_key_ends_at timestamptz,
  -- Only a confidential client can keep a secret.
  check (client_secret_hash is null or client_type = 'confidential'),
  check ((old_api_key_hash is null) = (old_api_key_ends_at is null))
);
comment on table client_apps is 'Client applications: who may call the API, from where and with which scopes.';
comment on column client_apps.allowed_scopes is 'Empty until an operator grants some. Never null, which would mean every scope.';
comment on column client_apps.actions is 'The audit trail of its reviews, oldest first.';
comment on column client_apps.api_key_made_at is 'Null for a key that was created with the application.';
comment on column client_apps.old_api_key_hash is 'A replaced key keeps working until old_api_key_ends_at.';
create unique index client_apps_api_key on client_apps (api_key_hash);
create unique index client_apps_old_api_key on client_apps (old_api_key_hash) where old_api_key_hash is not null;
create index client_apps_by_owner on client_apps (created_by_id, created_at desc, id desc);
create index client_apps_by_organization on client_apps (organization_id) where organization_id is not null;
create index client_apps_by_status on client_apps (status, created_at desc);
alter table client_apps enable row level security;
create policy tenant on client_apps
  using (created_by_id = (select current_tenant())) with check (created_by_id = (select current_tenant()));

-- Only the operator approves applications and grants their scopes. The policy does not restrict a tenant's changes to
-- its own rows, and an application with every scope could read through the API what its owner cannot read here.
create function refuse_own_approval() returns trigger language plpgsql as $$
begin
  raise insufficient_privilege using message = 'Only the operator decides over applications.';
end
$$;
create trigger client_apps_begin_pending before insert on client_apps for each row
  when (row_security_active('client_apps'::regclass) and (new.status <> 'PENDING' or new.allowed_scopes <> '{}'))
  execute function refuse_own_approval();
create trigger client_apps_stay_as_decided before update on client_apps for each row
  when (
    row_security_active('client_apps'::regclass)
    and (new.status, new.allowed_scopes, new.disallowed_scopes)
      is distinct from (old.status, old.allowed_scopes, old.disallowed_scopes)
  )
  execute function refuse_own_approval();

-- Anyone can send preflight requests, so each must be answered from an index, and row-level security keeps PostgreSQL
-- from using one on the arrays in client_apps. The copy reveals nothing: preflight responses show the same origins.
create table client_app_origins (
  origin text not null,
  client_id text not null references client_apps (id) on delete cascade,
  primary key (origin, client_id)
);
comment on table client_app_origins is 'The allowed origins of approved applications, for CORS preflight requests. A trigger copies them from client_apps.';
create index client_app_origins_by_client on client_app_origins (client_id);

-- Runs with the rights of the system, since a tenant may write its application but not this table.
create function copy_origins_of(client text) returns void language sql security definer
begin atomic
  delete from client_app_origins where client_id = client;
  insert into client_app_origins (origin, client_id)
    select distinct unnest(allowed_origins), id from client_apps where id = client and status in ('APPROVED', 'LISTED');
end;
create function copy_client_app_origins() returns trigger language plpgsql as $$
begin
  perform copy_origins_of(new.id);
  return null;
end
$$;
create trigger client_apps_copy_origins after insert or update of allowed_origins, status on client_apps
  for each row execute function copy_client_app_origins();

create table sessions (
  id text primary key,
  user_id text not null,
  credential text not null,
  client_id text,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
comment on table sessions is 'AE tokens (signed session tokens) that were issued, so that their owners can see and revoke them. The tokens themselves are not stored.';
comment on column sessions.credential is 'How the user signed in.';
create index sessions_of_user on sessions (user_id, created_at);
create index sessions_expiry on sessions (expires_at);
alter table sessions enable row level security;
create policy tenant on sessions
  using (user_id = (select current_tenant())) with check (user_id = (select current_tenant()));

create table revoked_tokens (
  jti text primary key,
  expires_at timestamptz not null
);
comment on table revoked_tokens is 'AE tokens that were revoked before they expire; all others are verified by their signature alone.';

create table used_nonces (
  nonce_hash hashed_secret primary key,
  expires_at timestamptz not null
);
comment on table used_nonces is 'Nonces of signed requests, each of which may be used once.';

-- Only the system can access this table.
create table console_sessions (
  id text primary key,
  secret_hash hashed_secret not null unique,
  user_id text,
  platform text,
  user_name text,
  scopes text[] not null,
  admin_key_id text references admin_keys (id) on delete cascade,
  presence_how text,
  presence_at timestamptz,
  created_at timestamptz not null,
  used_at timestamptz not null,
  expires_at timestamptz not null,
  latest_at timestamptz not null check (expires_at <= latest_at),
  check ((user_id is null) <> (admin_key_id is null)),
  check ((user_id is null) = (platform is null)),
  check ((presence_how is null) = (presence_at is null))
);
comment on table console_sessions is 'Sessions of the web console, of a user or of the operator. The browser stores the secret in a cookie.';
comment on column console_sessions.admin_key_id is 'The admin key that opened an operator session, which ends with the key.';
comment on column console_sessions.presence_how is 'How the user last proved their presence, for example with a passkey.';
comment on column console_sessions.expires_at is 'Extended with each use, up to latest_at.';
create index console_sessions_of_user on console_sessions (user_id, created_at) where user_id is not null;
create index console_sessions_of_key on console_sessions (admin_key_id) where admin_key_id is not null;
create index console_sessions_expiry on console_sessions (expires_at);
alter table console_sessions enable row level security;

create table platform_logins (
  state_hash hashed_secret primary key,
  browser_hash hashed_secret not null,
  method text not null check (method in ('discord', 'telegram', 'reddit')),
  content sealed_secret not null,
  answer_hash hashed_secret,
  answered_at timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
comment on table platform_logins is 'Sign-ins with a chat platform that are in progress, for ten minutes at most.';
comment on column platform_logins.browser_hash is 'Hash of the cookie of the browser that started it: no other can finish it.';
comment on column platform_logins.content is 'What the sign-in is for, its PKCE verifier, and who confirmed it in a chat.';
comment on column platform_logins.answer_hash is 'Hash of the code that the chat showed after the user confirmed there.';
create index platform_logins_expiry on platform_logins (expires_at);

create table account_link_attempts (
  state_hash hashed_secret primary key,
  user_id text not null,
  service text not null check (service in ('twitter', 'discord', 'reddit')),
  code_verifier sealed_secret not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
comment on table account_link_attempts is 'Attempts to link an account of another service that are in progress, for 15 minutes at most.';
comment on column account_link_attempts.user_id is 'The user who started it: no other user can finish it.';
comment on column account_link_attempts.code_verifier is 'The PKCE verifier (RFC 7636).';
create index account_link_attempts_user on account_link_attempts (user_id);
create index account_link_attempts_expiry on account_link_attempts (expires_at);

create table slugs (
  slug_hash hashed_secret primary key,
  owner_id text not null,
  content sealed_secret not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
comment on table slugs is 'Short links. The slug is the only key to the content, so it is hashed and the content is sealed.';
create index slugs_expiry on slugs (expires_at);
alter table slugs enable row level security;
create policy tenant on slugs
  using (owner_id = (select current_tenant())) with check (owner_id = (select current_tenant()));

create table totp_enrolments (
  user_id text not null,
  request_id text not null check (request_id ~ '^[A-Za-z0-9_-]{1,64}$'),
  state text not null check (state in ('pending', 'confirmed', 'retired')),
  secret sealed_secret,
  used_steps int[] not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (user_id, request_id),
  check ((state = 'retired') = (secret is null))
);
comment on table totp_enrolments is 'Authenticator apps. The secret of a retired one is deleted; its row is kept for a while, so that its id is not reused.';
comment on column totp_enrolments.used_steps is 'The time steps whose code was accepted and could still be replayed.';
comment on column totp_enrolments.expires_at is 'When the time to confirm a pending one ends, or when a retired one was retired.';
create index totp_enrolments_confirmed on totp_enrolments (user_id) where state = 'confirmed';
create index totp_enrolments_expiry on totp_enrolments (expires_at) where state <> 'confirmed';
alter table totp_enrolments enable row level security;
create policy tenant on totp_enrolments
  using (user_id = (select current_tenant())) with check (user_id = (select current_tenant()));

create table totp_guards (
  user_id text primary key,
  wrong_tries int not null,
  locked_until timestamptz
);
comment on table totp_guards is 'One row per user, which is locked while a code is checked and counts wrong codes.';
alter table totp_guards enable row level security;
create policy tenant on totp_guards
  using (user_id = (select current_tenant())) with check (user_id = (select current_tenant()));

create table webauthn_users (
  user_id text primary key,
  user_handle text not null unique check (user_handle ~ '^[A-Za-z0-9_-]{43}$')
);
comment on table webauthn_users is 'The user handle for authenticators: random, so that it reveals nothing about the user.';
alter table webauthn_users enable row level security;
create policy tenant on webauthn_users
  using (user_id = (select current_tenant())) with check (user_id = (select current_tenant()));

create table webauthn_credentials (
  id text primary key,
  user_id text not null references webauthn_users (user_id),
  platform text not null,
  user_name text,
  scopes text[] not null,
  rp_id text not null,
  credential_id text not null unique check (credential_id ~ '^[A-Za-z0-9_-]+$' and length(credential_id) <= 1366),
  public_key bytea not null,
  counter bigint not null,
  device_type text not null check (device_type in ('singleDevice', 'multiDevice')),
  is_backed_up boolean not null,
  is_user_verified boolean not null,
  is_resident boolean,
  transports text[] not null,
  attachment text check (attachment in ('platform', 'cross-platform')),
  name text not null,
  user_agent text,
  created_at timestamptz not null,
  suspicious_at timestamptz,
  client_id text
);
comment on table webauthn_credentials is 'Passkeys. Only the public key is here; the private key never leaves the authenticator.';
comment on column webauthn_credentials.scopes is 'The scopes of a sign-in with the passkey: no more than those of the session that registered it.';
comment on column webauthn_credentials.credential_id is 'Unique over all relying parties: one passkey belongs to one user.';
comment on column webauthn_credentials.is_resident is 'Whether the passkey is discoverable; null if the browser did not report it.';
comment on column webauthn_credentials.suspicious_at is 'When its counter did not increase, which indicates a copy. It can no longer be used to sign in.';
comment on column webauthn_credentials.client_id is 'The application whose token registered the passkey: sign-ins with it do not prove the user’s presence. Null if the user registered it.';
create index webauthn_credentials_by_user on webauthn_credentials (user_id, created_at, id);
alter table webauthn_credentials enable row level security;
create policy tenant on webauthn_credentials
  using (user_id = (select current_tenant())) with check (user_id = (select current_tenant()));

create table webauthn_challenges (
  challenge_hash hashed_secret primary key,
  ceremony text not null check (ceremony in ('registration', 'authentication')),
  rp_id text not null,
  user_id text,
  user_verification text not null check (user_verification in ('required', 'preferred', 'discouraged')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  bound_to text
);
comment on table webauthn_challenges is 'Passkey challenges that wait for a response. Using one deletes it.';
comment on column webauthn_challenges.user_id is 'Null if the user is not known yet; only the system sees such a challenge.';
comment on column webauthn_challenges.bound_to is 'What the response approves; null if it signs in.';
create index webauthn_challenges_expiry on webauthn_challenges (expires_at);
alter table webauthn_challenges enable row level security;
create policy tenant on webauthn_challenges
  using (user_id = (select current_tenant())) with check (user_id = (select current_tenant()));

create table webauthn_sign_ins (
  slug_hash hashed_secret primary key,
  user_id text not null,
  credential_id text not null references webauthn_credentials (id) on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  bound_to text
);
comment on table webauthn_sign_ins is 'Passkey sign-ins that were completed in one client and are used, once, in another.';
comment on column webauthn_sign_ins.bound_to is 'What the passkey approved; null if it signs in.';
create index webauthn_sign_ins_expiry on webauthn_sign_ins (expires_at);
create index webauthn_sign_ins_by_credential on webauthn_sign_ins (credential_id);
alter table webauthn_sign_ins enable row level security;
create policy tenant on webauthn_sign_ins
  using (user_id = (select current_tenant())) with check (user_id = (select current_tenant()));

-- Hosted wallets. Their keys are in a schema that only the role of the signer can read. The role is created here if this
-- login may; otherwise the operator creates it (docs/hosted-wallets.md).
do $$
begin
  create role latchkey_signer login nosuperuser nocreatedb nocreaterole;
exception
  when insufficient_privilege or duplicate_object or unique_violation then null;
end
$$;

create table hosted_wallets (
  user_id text primary key,
  platform text not null,
  id text not null unique,
  salt text not null check (salt ~ '^[0-9a-f]{64}$'),
  state text not null check (state in ('new', 'made', 'registered')),
  address text unique,
  public_key text,
  token_id text,
  chain_id bigint not null,
  prepared_hash text,
  tx_hash text,
  created_at timestamptz not null,
  registered_at timestamptz,
  check ((state = 'new') = (address is null)),
  check (state <> 'registered' or tx_hash is not null)
);
comment on table hosted_wallets is 'Wallets whose keys the signer holds, each registered in a contract on a chain.';
comment on column hosted_wallets.salt is 'Hides the user in the registry: the chain only has a hash of both, which reveals nothing without the salt.';
comment on column hosted_wallets.state is 'new: waiting for the signer. made: has a key. registered: is in the registry too.';
comment on column hosted_wallets.prepared_hash is 'The transaction, stored before it is sent, so that a crash in between leaves a trace of it.';
comment on column hosted_wallets.tx_hash is 'The transaction, once a node has accepted it.';
alter table hosted_wallets enable row level security;
create policy tenant on hosted_wallets
  using (user_id = (select current_tenant())) with check (user_id = (select current_tenant()));

create table registrar_keys (
  id int primary key check (id = 1),
  private_key sealed_secret not null,
  created_at timestamptz not null
);
comment on table registrar_keys is 'The key that writes to the registry of hosted wallets, if the operator does not configure one.';

create table hosted_wallet_approvals (
  user_id text not null,
  client_id text not null,
  digest text not null check (digest ~ '^[0-9a-f]{64}$'),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (user_id, client_id, digest)
);
comment on table hosted_wallet_approvals is 'What a user was shown and may approve within five minutes: a signature of their hosted wallet, or a transfer of a community wallet.';
comment on column hosted_wallet_approvals.client_id is 'The application that requests it on behalf of the user; empty for the user’s own session.';
comment on column hosted_wallet_approvals.digest is 'The digest to sign, as hex.';
alter table hosted_wallet_approvals enable row level security;
create policy tenant on hosted_wallet_approvals
  using (user_id = (select current_tenant())) with check (user_id = (select current_tenant()));

create table signing_domains (
  client_id text not null references client_apps (id) on delete cascade,
  domain text not null check (domain ~ '^(0x[0-9a-f]{40}@([0-9]{1,78}|any)|name:.{1,200})$'),
  notes text,
  created_at timestamptz not null,
  primary key (client_id, domain)
);
comment on table signing_domains is 'The EIP-712 domains for which the operator lets an application request signatures of typed data.';
comment on column signing_domains.domain is '0x…@chain for a contract, name:… for a domain without one.';
