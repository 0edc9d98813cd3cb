-- What this server has paid for others, or is about to: written in the transaction that decides to send it.
create table spendings (
  coin text not null,
  reference text not null,
  caller_id text not null,
  -- In the smallest unit of the coin.
  amount numeric(78, 0) not null check (amount >= 0),
  created_at timestamptz not null,
  primary key (coin, reference)
);
create index spendings_by_time on spendings (coin, created_at);
create index spendings_by_caller on spendings (caller_id);

alter table spendings enable row level security;
alter table spendings force row level security;
create policy tenant on spendings using (sees(caller_id)) with check (sees(caller_id));
