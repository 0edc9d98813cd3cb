-- What a hosted wallet was asked to sign and its user was shown, until they approve it or five minutes have passed.
create table hosted_wallet_approvals (
  user_id text not null references hosted_wallets (user_id) on delete cascade,
  -- The application that asks in the user's name; empty for a session of their own.
  client_id text not null,
  digest text not null check (digest ~ '^[0-9a-f]{64}$'),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (user_id, client_id, digest)
);
alter table hosted_wallet_approvals enable row level security;
alter table hosted_wallet_approvals force row level security;
create policy tenant on hosted_wallet_approvals using (sees(user_id)) with check (sees(user_id));
