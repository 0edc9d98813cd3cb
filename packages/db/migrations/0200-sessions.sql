-- AE tokens that were given out: their text is kept nowhere, but their owner sees them and can end them.
create table sessions (
  id text primary key,
  user_id text not null,
  credential text not null,
  client_id text,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index sessions_of_user on sessions (user_id, created_at);
create index sessions_expiry on sessions (expires_at);
alter table sessions enable row level security;
alter table sessions force row level security;
create policy tenant on sessions using (sees(user_id)) with check (sees(user_id));

-- A linked wallet proves what its owner holds. It remembers what the session that linked it could do, and signs in to the
-- account only if the owner switched that on. No wallet that was linked before this does.
alter table wallet_connections
  add column scopes text[] not null default '{}',
  add column signs_in_since timestamptz;

-- The one application a sign-in message was written for, and the account that was chosen among several.
alter table wallet_challenges
  drop column scopes,
  add column client_id text,
  add column account_id text;
