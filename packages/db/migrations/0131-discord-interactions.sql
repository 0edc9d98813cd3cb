-- What it takes to go on with an interaction: known by an id that cannot be guessed, for the 15 minutes Discord allows.
create table discord_interactions (
  id_hash hashed_secret primary key,
  community_id text,
  -- The application and the token of the interaction.
  handle sealed_secret not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index discord_interactions_expiry on discord_interactions (expires_at);
alter table discord_interactions enable row level security;
alter table discord_interactions force row level security;
-- Whoever knows the id may go on; nobody owns a row.
create policy tenant on discord_interactions using (sees('')) with check (sees(''));
