-- The blocks of a member's last check, so that members and admins see what a decision was based on.
alter table community_members add column checked_blocks jsonb;
comment on column community_members.checked_blocks is 'The blocks that were read at checked_at, by chain.';

-- safe: few changes are given up, so that the index is small and built in a moment
create index change_set_items_failed on change_set_items (community_id, user_id) where state = 'failed';

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
