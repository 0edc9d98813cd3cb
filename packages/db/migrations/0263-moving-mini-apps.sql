-- Which signatures an app was found to verify, and when that was last tried out apart from the weekly probe.
alter table mini_apps
  add column signature text check (signature in ('ed25519', 'ecdsa', 'both')),
  add column tried_at timestamptz;

-- The id that Discord gave the interaction. The published library of mini-apps puts it into the buttons by which they ask
-- for permissions; it opens nothing by itself.
alter table discord_interactions add column discord_id text;
create index discord_interactions_discord_id on discord_interactions (discord_id) where discord_id is not null;
