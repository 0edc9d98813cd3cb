-- How many shards the gateway of a bot has. All workers go by one number.
create table discord_gateways (
  bot text primary key,
  shard_count int not null check (shard_count > 0),
  read_at timestamptz not null
);

-- How far the events of each shard were taken in, so that whoever opens it next goes on from there. A session is worth
-- nothing without the token of the bot.
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
