-- An app that was taken off stays installed where it is, and does nothing until it is back.
alter table mini_app_manifests add column withdrawn_at timestamptz;
-- Whose interaction it is: the app it was forwarded to, and the person who began it.
alter table discord_interactions add column app_id text, add column user_id text;
