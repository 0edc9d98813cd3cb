-- NEAR accounts of people: made for them by this server, or their own by proof.
create table near_accounts (
  network text not null,
  account_id text not null,
  created_by_id text not null,
  public_key text not null,
  extra_public_keys text[] not null,
  origin text not null check (origin in ('made', 'proven')),
  state text not null check (state in ('pending', 'active')),
  transaction_hash text,
  created_at timestamptz not null,
  primary key (network, account_id, created_by_id)
);
create index near_accounts_holder on near_accounts (created_by_id);
alter table near_accounts enable row level security;
alter table near_accounts force row level security;
create policy tenant on near_accounts using (sees(created_by_id)) with check (sees(created_by_id));

-- Sign-ins by a key that a wallet adds to the account: the method that the key may call is known to one session only.
create table near_sign_in_sessions (
  state_hash hashed_secret primary key,
  network text not null,
  created_by_id text not null,
  contract_id text not null,
  method_name text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index near_sign_in_sessions_age on near_sign_in_sessions (expires_at);
create index near_sign_in_sessions_holder on near_sign_in_sessions (created_by_id);
alter table near_sign_in_sessions enable row level security;
alter table near_sign_in_sessions force row level security;
create policy tenant on near_sign_in_sessions using (sees(created_by_id)) with check (sees(created_by_id));
