-- User-facing features: notices for admins, exports and statistics, linked roles, the chat platforms, and erasing an
-- account.

-- Only the system can access the notices. It derives what to report from stored data, so nothing is lost with a
-- process.
create table admin_notices (
  id text primary key,
  community_id text not null references communities on delete cascade,
  kind text not null check (kind in ('held-change-set', 'blocked-role', 'broken-setup', 'large-change', 'rule-health', 'manual-changes')),
  about text not null,
  details jsonb not null,
  noted_at timestamptz not null,
  gone_at timestamptz,
  closed_at timestamptz
);
comment on table admin_notices is 'What the admins of a community are notified of, once each.';
comment on column admin_notices.about is 'Role changes, a role, * for every role, a problem with the setup, or what prevents rules from being evaluated.';
comment on column admin_notices.details is 'Other data for the message.';
comment on column admin_notices.gone_at is 'Since when the cause is resolved. It may recur before that is reported.';
-- What is closed may recur, and is then reported again.
create unique index admin_notices_open on admin_notices (community_id, kind, about) where closed_at is null;
create index admin_notices_noted on admin_notices (noted_at);

create table admin_notice_messages (
  notice_id text not null references admin_notices on delete cascade,
  recipient text not null,
  message_id text,
  sent_at timestamptz not null,
  closed_at timestamptz,
  primary key (notice_id, recipient)
);
comment on table admin_notice_messages is 'Where each notice was sent.';
comment on column admin_notice_messages.recipient is 'A channel, the chat itself, the modmail, a user by the qualified id, or a mailbox by the id of its organization.';
comment on column admin_notice_messages.message_id is 'The platform’s id of the message, for edits and replies; null if it was rejected or cannot be edited.';
comment on column admin_notice_messages.closed_at is 'When the recipient was notified that the matter is closed.';
create index admin_notice_messages_recipient on admin_notice_messages (recipient);

create table setup_checks (
  community_id text primary key references communities on delete cascade,
  checked_at timestamptz not null
);
comment on table setup_checks is 'When the setup of a community was last checked.';

create table community_days (
  community_id text not null references communities on delete cascade,
  day date not null,
  members integer not null check (members >= 0),
  primary key (community_id, day)
);
comment on table community_days is 'How many members a community had, as last counted on each day.';

create table member_exports (
  id text primary key,
  community_id text not null references communities on delete cascade,
  filter jsonb not null,
  status text not null check (status in ('waiting', 'running', 'done', 'failed')),
  created_by text not null,
  created_at timestamptz not null,
  finished_at timestamptz,
  members integer not null default 0,
  problem text
);
comment on table member_exports is 'Member lists that an admin requested. A worker creates them, and they are kept for some days.';
comment on column member_exports.filter is 'The filter of the request, as the list of members accepts it.';
create index member_exports_community on member_exports (community_id, created_at desc, id desc);
create index member_exports_age on member_exports (created_at);

create table member_export_parts (
  export_id text not null references member_exports on delete cascade,
  part integer not null,
  content text not null,
  primary key (export_id, part)
);
comment on table member_export_parts is 'The file of an export, in parts of a thousand members.';

create table join_messages (
  community_id text primary key references communities on delete cascade,
  channel_id text,
  message_id text,
  posted_at timestamptz,
  claimed_until timestamptz
);
comment on table join_messages is 'The message with the join button that an admin had the bot post, one for each community.';
comment on column join_messages.channel_id is 'The channel of a Discord server; the chat itself on Telegram. Null until the first one is posted.';
comment on column join_messages.claimed_until is 'Until then one request is posting it, so that two clicks create one channel.';

-- Linked roles: roles that Discord itself grants, based on values that this server reports.
create table role_connections (
  user_id text primary key,
  user_name text not null,
  access_token sealed_secret,
  refresh_token sealed_secret,
  expires_at timestamptz not null,
  linked_at timestamptz not null,
  sent jsonb,
  sent_at timestamptz,
  lost_at timestamptz,
  due_at timestamptz not null,
  check ((lost_at is null) = (access_token is not null) and (lost_at is null) = (refresh_token is not null))
);
comment on table role_connections is 'Users who let this server report values about them to Discord, for linked roles.';
comment on column role_connections.access_token is 'Null once Discord rejects the tokens.';
comment on column role_connections.sent is 'What was last reported to Discord; null before the first time.';
comment on column role_connections.lost_at is 'Since when Discord rejects the tokens: the user has to connect again.';
comment on column role_connections.due_at is 'When the values are read again if no change is recorded before.';
create index role_connections_due on role_connections (due_at) where lost_at is null;

create table role_connection_endings (
  id text primary key,
  user_id text,
  access_token sealed_secret not null,
  refresh_token sealed_secret not null,
  expires_at timestamptz not null,
  ended_at timestamptz not null
);
comment on table role_connection_endings is 'Tokens of linked roles that are still to be revoked.';
comment on column role_connection_endings.user_id is 'Null for an erased user.';
create index role_connection_endings_user on role_connection_endings (user_id) where user_id is not null;
create index role_connection_endings_age on role_connection_endings (ended_at);

-- Rows are only inserted: updating role_connections instead would make concurrent changes wait for each other.
create table role_connection_changes (
  id bigint generated always as identity primary key,
  user_id text not null
);
comment on table role_connection_changes is 'Users with linked roles whose values may have changed.';
create index role_connection_changes_user on role_connection_changes (user_id);

-- Runs as the owner, since a tenant who links a wallet cannot access either table.
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

-- Discord.
create table discord_gateways (
  bot text primary key,
  shard_count int not null check (shard_count > 0),
  read_at timestamptz not null
);
comment on table discord_gateways is 'How many shards the gateway of a bot has, so that all workers use the same number.';

create table discord_shards (
  bot text not null,
  shard_count int not null,
  shard_id int not null check (shard_id >= 0 and shard_id < shard_count),
  session_id text not null,
  resume_url text not null,
  sequence bigint not null,
  saved_at timestamptz not null,
  primary key (bot, shard_count, shard_id)
);
comment on table discord_shards is 'The last event of each shard that was processed, so that the next worker resumes there. A session is useless without the token of the bot.';

-- Telegram.
create table telegram_sessions (
  name text primary key,
  session sealed_secret not null,
  kept_at timestamptz not null
);
comment on table telegram_sessions is 'Sessions of bots in the MTProto API, which can list members. Anyone with a session can act as the bot.';
comment on column telegram_sessions.name is 'The id of the bot, a slash, and the id of the application.';

create table telegram_updates (
  bot text not null,
  update_id bigint not null,
  seen_at timestamptz not null,
  taken_at timestamptz,
  failures int not null default 0,
  primary key (bot, update_id)
);
comment on table telegram_updates is 'Updates from Telegram of the last day, so that one that is delivered again is ignored.';
comment on column telegram_updates.bot is 'Identifies a bot without revealing its token.';
comment on column telegram_updates.taken_at is 'When it was processed; null while that fails.';
create index telegram_updates_seen on telegram_updates (seen_at);

-- Reddit.
create table reddit_tokens (
  community_id text primary key references communities on delete cascade,
  refresh_token sealed_secret not null,
  reddit_user text not null,
  linked_by_id text not null,
  linked_at timestamptz not null,
  inbox_due_at timestamptz,
  by_consent boolean not null default false
);
comment on table reddit_tokens is 'Permanent tokens with which moderators let Latchkey manage their subreddits.';
comment on column reddit_tokens.reddit_user is 'The account on Reddit that the token belongs to.';
comment on column reddit_tokens.inbox_due_at is 'When the private messages to that account are read next, for commands in them.';
comment on column reddit_tokens.by_consent is 'Issued for a consent in the console, so it is revoked when it is no longer used. Pasted tokens are the moderator''s own.';
alter table reddit_tokens enable row level security;
create policy tenant on reddit_tokens
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));

create table reddit_grants (
  place text not null,
  id text not null default gen_random_uuid()::text,
  refresh_token sealed_secret not null,
  user_id text,
  due_at timestamptz not null,
  tries integer not null default 0,
  primary key (place, id)
);
comment on table reddit_grants is 'Tokens of moderators that no subreddit uses: they wait for the choice of a subreddit, or are to be revoked.';
comment on column reddit_grants.place is 'The context that the token was sealed for, which stays the same if it comes from reddit_tokens.';
comment on column reddit_grants.user_id is 'The user who authorized it and may use it; null once it is only to be revoked.';
comment on column reddit_grants.due_at is 'When it is revoked, or revoking is tried again.';
create index reddit_grants_user on reddit_grants (user_id) where user_id is not null;
create index reddit_grants_due on reddit_grants (due_at);

-- Covers every way in which a subreddit loses its token: unlinked, linked again, deleted with its community, or its
-- moderator erased. Runs as the owner, since a tenant cannot access the table.
create function keep_reddit_token_to_revoke() returns trigger language plpgsql security definer
set search_path = public, pg_temp as $$
begin
  insert into public.reddit_grants (place, refresh_token, due_at)
    values ('reddit_tokens.refresh_token:' || old.community_id, old.refresh_token, 'epoch');
  return null;
end
$$;
revoke execute on function keep_reddit_token_to_revoke() from public;
create trigger reddit_tokens_revoke after delete on reddit_tokens
  for each row when (old.by_consent) execute function keep_reddit_token_to_revoke();

create table account_erasures (
  user_id text primary key,
  content sealed_secret not null,
  requested_at timestamptz not null
);
comment on table account_erasures is 'Accounts that are being erased, until the last of their data is deleted. The system writes them; a tenant reads its own.';
comment on column account_erasures.content is 'The wallets and applications of the account, and the pseudonym that replaces it.';
alter table account_erasures enable row level security;
create policy tenant on account_erasures for select using (user_id = (select current_tenant()));
