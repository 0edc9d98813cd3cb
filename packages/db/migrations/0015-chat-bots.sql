-- Bots of chat platforms that keep no position of their events for us.

create table chat_bot_positions (
  bot text primary key,
  position text not null,
  moved_at timestamptz not null
);
comment on table chat_bot_positions is 'Up to where the events of each chat bot were handled, so that a process that takes over continues there.';
comment on column chat_bot_positions.bot is 'The platform, and an identifier that does not reveal the token.';
