-- Servers that the bot was let into and that nobody added here yet, so that the person who invited it finds them.
create table bot_arrivals (
  platform text not null,
  community_id text not null,
  name text not null,
  owner_id text,
  arrived_at timestamptz not null,
  primary key (platform, community_id)
);
create index bot_arrivals_newest on bot_arrivals (arrived_at);
create index bot_arrivals_owner on bot_arrivals (owner_id);
alter table bot_arrivals enable row level security;
