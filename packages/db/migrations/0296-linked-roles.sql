alter table account_link_attempts drop constraint account_link_attempts_service_check;
alter table account_link_attempts
  add constraint account_link_attempts_service_check check (service in ('twitter', 'discord', 'reddit'));

-- Who lets this server tell Discord values of them, for roles that Discord gives itself (linked roles).
create table role_connections (
  -- DIS#USER#…
  user_id text primary key,
  user_name text not null,
  -- Null once Discord refuses them.
  access_token sealed_secret,
  refresh_token sealed_secret,
  expires_at timestamptz not null,
  linked_at timestamptz not null,
  -- What Discord was told last, and when; null before the first time.
  told jsonb,
  told_at timestamptz,
  -- Since when Discord refuses the tokens: the person has to connect again.
  lost_at timestamptz,
  -- When the values are looked at again if no change is noted before.
  due_at timestamptz not null,
  check ((lost_at is null) = (access_token is not null) and (lost_at is null) = (refresh_token is not null))
);
create index role_connections_due on role_connections (due_at) where lost_at is null;

-- Tokens that are still to be revoked. An erased person is not named here.
create table role_connection_endings (
  id text primary key,
  user_id text,
  access_token sealed_secret not null,
  refresh_token sealed_secret not null,
  expires_at timestamptz not null,
  ended_at timestamptz not null
);
create index role_connection_endings_user on role_connection_endings (user_id) where user_id is not null;
create index role_connection_endings_age on role_connection_endings (ended_at);

-- People with a connection whose values may have changed. Only ever inserted into by those who change something: a row of
-- role_connections would make them wait for each other.
create table role_connection_changes (
  id bigint generated always as identity primary key,
  user_id text not null
);
create index role_connection_changes_user on role_connection_changes (user_id);

-- Runs as the owner: a tenant who links a wallet reaches neither table.
create function note_role_connection_changes() returns trigger language plpgsql security definer
set search_path = public, pg_temp as $$
begin
  insert into public.role_connection_changes (user_id)
    select c.user_id from public.role_connections c where c.user_id in (select user_id from changed);
  return null;
end
$$;
revoke execute on function note_role_connection_changes() from public;

create trigger role_ledger_note_connections after insert on role_ledger
  referencing new table as changed for each statement execute function note_role_connection_changes();
create trigger wallet_connections_note_added after insert on wallet_connections
  referencing new table as changed for each statement execute function note_role_connection_changes();
create trigger wallet_connections_note_removed after delete on wallet_connections
  referencing old table as changed for each statement execute function note_role_connection_changes();
