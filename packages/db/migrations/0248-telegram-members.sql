-- The login of a bot at Telegram's own protocol, which lists members. Whoever reads it can act as the bot.
create table telegram_sessions (
  -- The id of the bot, a slash, the id of the application.
  name text primary key,
  session sealed_secret not null,
  kept_at timestamptz not null
);

-- How the last list of a community's members ended. Lists that were cut are told to those who look after the community.
create table member_lists (
  community_id text primary key references communities on delete cascade,
  listed_at timestamptz not null,
  listed integer not null check (listed >= 0),
  is_complete boolean not null,
  reason text
);
