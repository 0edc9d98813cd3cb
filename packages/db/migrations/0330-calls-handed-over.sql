-- What a process cannot put off: reads that check writes give way to the writes of others. Processes that do not tell it yet put off nothing.
alter table call_shares add column urgent int not null default 50;

-- Places that a process gave up while the call in them still counted: nobody may use them before.
create table call_returns (
  name text not null references call_budgets,
  until timestamptz not null,
  places int not null check (places > 0),
  primary key (name, until)
);
