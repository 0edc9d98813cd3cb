-- Questions about roles that are answered later: kept for a day for whoever asked.
create table role_checks (
  id text primary key,
  owner_id text not null,
  -- The application that asked, whose webhook secret signs the call; null for people.
  client_id text,
  -- The accounts that are looked at, as they were when the question came.
  wallets jsonb not null,
  rules jsonb not null,
  callback_url text,
  -- What came of it: roles and errors. Null until it is decided.
  answer jsonb,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index role_checks_expiry on role_checks (expires_at);

alter table role_checks enable row level security;
alter table role_checks force row level security;
create policy tenant on role_checks using (sees(owner_id)) with check (sees(owner_id));
