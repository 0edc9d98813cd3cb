-- What the admins of a community are told of, once each. The server finds it in what is stored, so nothing is lost with a
-- process; no tenant reaches these tables.
create table admin_notices (
  id text primary key,
  community_id text not null references communities on delete cascade,
  kind text not null check (kind in ('held-plan', 'blocked-role', 'broken-setup', 'large-change')),
  -- A plan, a role, '*' for every role, or what is wrong with the set-up.
  about text not null,
  -- What the message needs beyond that.
  details jsonb not null,
  -- Only told by webhook, since a like message went out a moment ago.
  is_quiet boolean not null,
  noted_at timestamptz not null,
  -- Since when the cause is gone. It may come back before that is told.
  gone_at timestamptz,
  closed_at timestamptz
);
-- What is over may happen again, and is then told again.
create unique index admin_notices_open on admin_notices (community_id, kind, about) where closed_at is null;
create index admin_notices_noted on admin_notices (noted_at);

-- Where it was told.
create table admin_notice_messages (
  notice_id text not null references admin_notices on delete cascade,
  -- A channel, the chat itself, the modmail, a person by the qualified id, or a mailbox by the id of its organization.
  recipient text not null,
  -- By which the platform changes or continues it; null where it was not taken or cannot be changed.
  message_id text,
  sent_at timestamptz not null,
  -- When it was told there that the matter is closed.
  closed_at timestamptz,
  primary key (notice_id, recipient)
);
create index admin_notice_messages_recipient on admin_notice_messages (recipient);

-- When the set-up of a community was looked at last.
create table setup_checks (
  community_id text primary key references communities on delete cascade,
  checked_at timestamptz not null
);

-- Plans that nobody decided and that change many members, by the least number that counts as many.
create index change_sets_large on change_sets (created_at) where decided_by is null and calls >= 10;

-- When the private messages to the linked account are read next, for the commands in them.
alter table reddit_tokens add column inbox_due_at timestamptz;
