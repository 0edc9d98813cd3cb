-- The calls that a bot may make, shared by all processes. Whoever changes shares locks the row of the bot.
create table call_budgets (
  name text primary key check (length(name) between 1 and 200),
  -- Nothing is sent before: the platform refused everything for a while.
  blocked_until timestamptz
);

-- How many calls each process may have under way or just behind it, and how many it could use.
create table call_shares (
  name text not null references call_budgets,
  owner text not null,
  places int not null check (places >= 0),
  wanted int not null,
  until timestamptz not null,
  primary key (name, owner)
);

-- Routes that the platform closed for a while.
create table call_blocks (
  name text not null references call_budgets,
  route text not null check (length(route) <= 500),
  until timestamptz not null,
  primary key (name, route)
);

-- Calls that were refused, by the minute: a platform bans an address after too many.
create table call_refusals (
  name text not null references call_budgets,
  minute timestamptz not null,
  count int not null,
  primary key (name, minute)
);
