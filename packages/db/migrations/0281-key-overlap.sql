-- A replaced key goes on working until its owner has put the new one in place.
alter table client_apps
  -- Null for a key that was made with the application.
  add column api_key_made_at timestamptz,
  add column old_api_key_hash hashed_secret,
  add column old_api_key_ends_at timestamptz,
  add check ((old_api_key_hash is null) = (old_api_key_ends_at is null));
create unique index client_apps_old_api_key on client_apps (old_api_key_hash) where old_api_key_hash is not null;
