-- Subreddits that are managed through a Devvit app instead of a moderator's token.
create table devvit_apps (
  community_id text primary key references communities on delete cascade,
  secret sealed_secret not null,
  signing_key sealed_secret not null,
  paired_by text,
  paired_at timestamptz not null,
  subreddit_id text,
  sequence bigint not null default 0,
  last_sent_ms bigint not null default 0,
  last_call_at timestamptz,
  flairs jsonb,
  round text,
  open_lists text[] not null default '{}',
  listed_at timestamptz
);
comment on table devvit_apps is 'The Devvit app that is paired with a subreddit, and what it reported last.';
comment on column devvit_apps.secret is 'What the app proves its calls with.';
comment on column devvit_apps.signing_key is 'The private key of the words that the app accepts. Its public half is in the pairing code.';
comment on column devvit_apps.subreddit_id is 'The subreddit of the first call. Words are for it alone.';
comment on column devvit_apps.sequence is 'The number of the last word; the app accepts no lower one.';
comment on column devvit_apps.last_sent_ms is 'When the app sent its last call, by its own clock. An earlier or equal one is a replay.';
comment on column devvit_apps.round is 'The list of members that the app is reading now; null between two.';
comment on column devvit_apps.open_lists is 'The parts of that list that are not complete yet.';
create index devvit_apps_by on devvit_apps (paired_by) where paired_by is not null;

create table devvit_members (
  community_id text not null references devvit_apps on delete cascade,
  member_key text not null,
  list text not null check (list in ('flair', 'approved')),
  user_name text not null,
  role_id text not null,
  round text,
  primary key (community_id, member_key, list)
);
comment on table devvit_members is 'Who has which flair and who is approved in a subreddit, as its Devvit app reported.';
comment on column devvit_members.member_key is 'The name in lower case.';

create table devvit_orders (
  community_id text not null references devvit_apps on delete cascade,
  member_key text not null,
  id text not null,
  user_name text not null,
  add text[] not null,
  remove text[] not null,
  ordered_at timestamptz not null,
  sent_at timestamptz,
  outcome jsonb,
  primary key (community_id, member_key)
);
comment on table devvit_orders is 'Changes of members that wait for the Devvit app, and those that it could not apply.';
comment on column devvit_orders.outcome is 'Why it was not applied, until the writer of role changes has read it.';
