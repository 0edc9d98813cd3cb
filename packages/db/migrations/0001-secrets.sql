-- Column types for secrets: a plain text written to such a column by mistake is refused by the database itself.
create domain hashed_secret as text check (value ~ '^[0-9a-f]{64}$');
create domain sealed_secret as text check (value ~ '^v1\.[A-Za-z0-9_-]{1,32}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$');

-- Row-level tenant discipline: a policy lets a row be seen by the owner named in the transaction, or by the system.
-- A connection that names nobody has an empty tenant, and sees nothing.
create function sees(owner_id text) returns boolean
  language sql stable parallel safe
  return current_setting('latchkey.tenant', true) in ('*', nullif(owner_id, ''));

-- Keys that sign for the platform: private halves are sealed, public halves are served.
create table signing_keys (
  kid text primary key,
  purpose text not null check (purpose in ('jwt', 'action-ecdsa', 'action-ed25519')),
  public_key text not null,
  private_key sealed_secret not null,
  created_at timestamptz not null,
  retired_at timestamptz
);
create unique index signing_keys_current on signing_keys (purpose) where retired_at is null;

-- One row that only opens with the master key this database was made with.
create table master_key_check (
  id int primary key check (id = 1),
  sealed sealed_secret not null
);

-- The operator's own credentials.
create table admin_keys (
  id text primary key,
  name text not null,
  key_hash hashed_secret not null unique,
  created_at timestamptz not null,
  revoked_at timestamptz
);

-- OAuth2 access tokens, as their hash only.
create table access_tokens (
  token_hash hashed_secret primary key,
  user_id text,
  platform text,
  user_name text,
  client_id text,
  scopes text[] not null,
  issued_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index access_tokens_expiry on access_tokens (expires_at);

-- AE tokens carry their own proof; only those taken back before their time are listed.
create table revoked_tokens (
  jti text primary key,
  expires_at timestamptz not null
);

-- Values that may be used once: nonces of signed requests.
create table used_nonces (
  nonce_hash hashed_secret primary key,
  expires_at timestamptz not null
);

-- Answers of repeatable requests. They may hold a key that is shown once, so they are sealed.
create table idempotent_requests (
  caller text not null,
  key_hash hashed_secret not null,
  request_hash hashed_secret not null,
  status int,
  answer sealed_secret,
  created_at timestamptz not null,
  primary key (caller, key_hash)
);
create index idempotent_requests_age on idempotent_requests (created_at);

-- Shared rate counters. Losing them in a crash only opens a new window, so they are not written ahead.
create unlogged table rate_windows (
  bucket text not null,
  window_start timestamptz not null,
  used bigint not null,
  primary key (bucket, window_start)
);
create index rate_windows_age on rate_windows (window_start);
