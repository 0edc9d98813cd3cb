-- The login of a bot at Telegram's own protocol, which lists members. Whoever reads it can act as the bot.
create table telegram_sessions (
  -- The id of the bot, a slash, the id of the application.
  name text primary key,
  session sealed_secret not null,
  kept_at timestamptz not null
);
