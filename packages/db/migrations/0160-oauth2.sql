-- What OAuth2 and OpenID Connect keep. Ids that open something are here as hashes alone, and what hangs on them sealed:
-- whoever reads a backup learns neither. Like access tokens this is the system's own: no tenant reads it.

-- Who logged in for an application, and what they were called.
create table oauth_accounts (
  user_id text primary key,
  platform text not null,
  name text,
  seen_at timestamptz not null
);

-- One authorization of one application by one person. Its code and every token that came of it end with it.
create table oauth_grants (
  id text primary key,
  user_id text not null,
  client_id text not null references client_apps on delete cascade,
  content jsonb not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index oauth_grants_by_user on oauth_grants (user_id, client_id);
create index oauth_grants_by_client on oauth_grants (client_id);
create index oauth_grants_expiry on oauth_grants (expires_at);

create table oauth_artifacts (
  kind text not null check (kind in ('session', 'interaction', 'code', 'refresh-token')),
  id_hash hashed_secret not null,
  -- Sessions are also found by a second id.
  uid_hash hashed_secret,
  user_id text,
  grant_id text references oauth_grants on delete cascade,
  content sealed_secret not null,
  -- Codes and refresh tokens are used once: who sets this first has used it.
  consumed_at timestamptz,
  expires_at timestamptz not null,
  primary key (kind, id_hash)
);
create index oauth_artifacts_by_uid on oauth_artifacts (uid_hash) where uid_hash is not null;
create index oauth_artifacts_by_grant on oauth_artifacts (grant_id) where grant_id is not null;
create index oauth_artifacts_by_user on oauth_artifacts (user_id) where user_id is not null;
create index oauth_artifacts_expiry on oauth_artifacts (expires_at);

alter table access_tokens
  add column grant_id text references oauth_grants on delete cascade,
  add column details jsonb,
  add column relied_on jsonb;
create index access_tokens_by_grant on access_tokens (grant_id) where grant_id is not null;
create index access_tokens_by_user on access_tokens (user_id, client_id) where user_id is not null;

-- A token can be on its way while its grant ends. The lock makes one wait for the other, and the token is born revoked.
create function revoke_token_of_ended_grant() returns trigger language plpgsql as $$
begin
  select coalesce(new.revoked_at, g.revoked_at) into new.revoked_at
    from oauth_grants g where g.id = new.grant_id for share;
  return new;
end
$$;
create trigger access_tokens_of_ended_grant before insert on access_tokens
  for each row when (new.grant_id is not null) execute function revoke_token_of_ended_grant();

create function end_tokens_of_grant() returns trigger language plpgsql as $$
begin
  update access_tokens set revoked_at = new.revoked_at where grant_id = new.id and revoked_at is null;
  delete from oauth_artifacts where grant_id = new.id and kind in ('code', 'refresh-token');
  return null;
end
$$;
create trigger oauth_grants_end_tokens after update of revoked_at on oauth_grants
  for each row when (old.revoked_at is null and new.revoked_at is not null) execute function end_tokens_of_grant();
