-- What a person is about to allow a mini-app. The server asks in its own words, and the button of that message carries the
-- secret, which no app learns. One answer ends it.
create table permission_questions (
  secret_hash hashed_secret primary key,
  user_id text not null,
  community_id text not null,
  app_id text not null,
  client_id text not null,
  scopes text[] not null,
  -- The button of the app that was pressed and its message, as the app is told of them afterwards. They hold the address
  -- by which the app may go on with the interaction.
  pressed sealed_secret not null,
  expires_at timestamptz not null
);
create index permission_questions_expiry on permission_questions (expires_at);
alter table permission_questions enable row level security;
alter table permission_questions force row level security;
-- Whoever knows the secret may answer; nobody owns a row.
create policy tenant on permission_questions using (sees('')) with check (sees(''));
