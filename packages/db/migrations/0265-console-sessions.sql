-- Sessions of the console: a browser keeps a secret in a cookie, of which only the hash is kept here. A session stands for
-- a person, or for the operator as long as the admin key counts that opened it.
-- The system alone reads and writes it.
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
  -- Moves on with use, up to the time after which no use helps.
  expires_at timestamptz not null,
  latest_at timestamptz not null check (expires_at <= latest_at),
  check ((user_id is null) <> (admin_key_id is null)),
  check ((user_id is null) = (platform is null)),
  check ((presence_how is null) = (presence_at is null))
);
create index console_sessions_of_user on console_sessions (user_id, created_at) where user_id is not null;
create index console_sessions_of_key on console_sessions (admin_key_id) where admin_key_id is not null;
create index console_sessions_expiry on console_sessions (expires_at);
alter table console_sessions enable row level security;
