-- The updates of Telegram that were taken in, so that one that comes again, by whichever way and to whichever process, changes
-- nothing more. Telegram offers an update for a day.
create table telegram_updates (
  -- Tells bots apart; says nothing about their tokens.
  bot text not null,
  update_id bigint not null,
  seen_at timestamptz not null,
  -- Null while it could not be taken in.
  taken_at timestamptz,
  failures int not null default 0,
  primary key (bot, update_id)
);

create index telegram_updates_seen on telegram_updates (seen_at);
