-- Logins by an account of a chat platform that are under way, for ten minutes at most. Coming back takes a login out.
create table platform_logins (
  state_hash hashed_secret primary key,
  -- Of the cookie of the browser that began it: no other can finish it.
  browser_hash hashed_secret not null,
  method text not null check (method in ('discord', 'telegram', 'reddit')),
  -- What it is for, the proof that the code was asked for here, and who confirmed it in a chat.
  content sealed_secret not null,
  -- Of the code that a chat was shown once somebody answered there.
  answer_hash hashed_secret,
  answered_at timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index platform_logins_expiry on platform_logins (expires_at);
