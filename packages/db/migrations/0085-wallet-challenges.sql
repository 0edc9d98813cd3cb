-- Messages a wallet was asked to sign. Each is taken out, and so used up, before its signature is looked at.
create table wallet_challenges (
  request_hash hashed_secret primary key,
  namespace text not null,
  chain text not null,
  -- Absent when the caller did not say which account will sign.
  address text,
  message text not null,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index wallet_challenges_expiry on wallet_challenges (expires_at);
