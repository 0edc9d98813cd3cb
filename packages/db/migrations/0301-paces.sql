-- When the next one of something that all processes share may be done: calls of a bot, beginnings of its sessions.
create table paces (
  name text primary key check (length(name) between 1 and 200),
  next_at timestamptz not null
);
