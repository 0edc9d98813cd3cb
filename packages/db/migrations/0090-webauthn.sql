-- What authenticators call a user: random, so that it tells nobody anything about the person.
create table webauthn_users (
  user_id text primary key,
  user_handle text not null unique check (user_handle ~ '^[A-Za-z0-9_-]{43}$')
);

alter table webauthn_users enable row level security;
alter table webauthn_users force row level security;
create policy tenant on webauthn_users using (sees(user_id)) with check (sees(user_id));

-- Passkeys. Only the public half is here; the private one never leaves the authenticator.
create table webauthn_credentials (
  id text primary key,
  user_id text not null references webauthn_users (user_id),
  platform text not null,
  user_name text,
  -- What signing in with the passkey may do: no more than the session that registered it.
  scopes text[] not null,
  rp_id text not null,
  -- One passkey belongs to one user, whatever the relying party.
  credential_id text not null unique check (credential_id ~ '^[A-Za-z0-9_-]+$' and length(credential_id) <= 1366),
  public_key bytea not null,
  counter bigint not null,
  device_type text not null check (device_type in ('singleDevice', 'multiDevice')),
  is_backed_up boolean not null,
  is_user_verified boolean not null,
  -- Null when the browser did not say whether the passkey can be found without its id.
  is_resident boolean,
  transports text[] not null,
  attachment text check (attachment in ('platform', 'cross-platform')),
  name text not null,
  user_agent text,
  created_at timestamptz not null,
  -- When its counter did not grow, which means that the passkey was copied. It signs in no more.
  suspicious_at timestamptz
);
create index webauthn_credentials_by_user on webauthn_credentials (user_id, created_at, id);

alter table webauthn_credentials enable row level security;
alter table webauthn_credentials force row level security;
create policy tenant on webauthn_credentials using (sees(user_id)) with check (sees(user_id));

-- Challenges that wait for their answer. Taking one deletes it. Those of nobody in particular are the system's to see.
create table webauthn_challenges (
  challenge_hash hashed_secret primary key,
  ceremony text not null check (ceremony in ('registration', 'authentication')),
  rp_id text not null,
  user_id text,
  user_verification text not null check (user_verification in ('required', 'preferred', 'discouraged')),
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index webauthn_challenges_expiry on webauthn_challenges (expires_at);

alter table webauthn_challenges enable row level security;
alter table webauthn_challenges force row level security;
create policy tenant on webauthn_challenges using (sees(user_id)) with check (sees(user_id));

-- Sign-ins that were proved in one place and wait to be picked up, once, in another.
create table webauthn_sign_ins (
  slug_hash hashed_secret primary key,
  user_id text not null,
  credential_id text not null references webauthn_credentials (id) on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index webauthn_sign_ins_expiry on webauthn_sign_ins (expires_at);
create index webauthn_sign_ins_by_credential on webauthn_sign_ins (credential_id);

alter table webauthn_sign_ins enable row level security;
alter table webauthn_sign_ins force row level security;
create policy tenant on webauthn_sign_ins using (sees(user_id)) with check (sees(user_id));
