-- Requests to join that Telegram asks a guard bot about, and joins that nobody approved.
create table telegram_join_queries (
  slug text primary key,
  community_id text not null references communities on delete cascade,
  user_id text not null,
  query_id text not null,
  reply_to text not null,
  locale text,
  asked_at timestamptz not null,
  page_at timestamptz,
  outcome text check (outcome in ('approved', 'declined', 'queued')),
  unique (community_id, user_id)
);
comment on table telegram_join_queries is 'Requests to join that Telegram asks the bot about as queries. The newest of each user; deleted after a day.';
comment on column telegram_join_queries.slug is 'Ends the address of the page that Telegram shows to the user. Only what Telegram signs says who opened it.';
comment on column telegram_join_queries.page_at is 'When Telegram accepted the page.';
comment on column telegram_join_queries.outcome is 'How the query ended; null while it can be answered.';
create index telegram_join_queries_asked on telegram_join_queries (asked_at);

create table gate_bypasses (
  community_id text not null references communities on delete cascade,
  user_id text not null,
  user_name text not null,
  joined_at timestamptz not null,
  way_id text not null,
  kind text not null check (kind in ('link', 'shared-invitation', 'folder', 'added', 'public')),
  link text,
  link_name text,
  by_id text,
  by_name text,
  is_own boolean not null default false,
  primary key (community_id, user_id, joined_at, way_id)
);
comment on table gate_bypasses is 'Joins of gated Telegram chats that neither the bot nor an admin approved, of the last 90 days.';
comment on column gate_bypasses.way_id is 'The same for all joins by one link, or through one member.';
comment on column gate_bypasses.link is 'The invite link. Of links that others created, Telegram shows only the beginning.';
comment on column gate_bypasses.is_own is 'Whether the bot created the link, so that it can revoke it.';
create index gate_bypasses_way on gate_bypasses (community_id, way_id, joined_at desc);
create index gate_bypasses_joined on gate_bypasses (joined_at);
create index gate_bypasses_by on gate_bypasses (by_id) where by_id is not null;

create table revoked_ways (
  community_id text not null references communities on delete cascade,
  way_id text not null,
  revoked_at timestamptz not null,
  primary key (community_id, way_id)
);
comment on table revoked_ways is 'Invite links around the gate that were revoked from here.';
