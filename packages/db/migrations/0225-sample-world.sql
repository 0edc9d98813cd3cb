-- Whether the sample community of `npm start` was ever put into this database. Its accounts and wallets are anybody's, so
-- a start without it removes them.
create table sample_world (
  id int primary key check (id = 1),
  noted_at timestamptz not null
);

-- Databases of earlier versions are known by the community itself.
alter table communities no force row level security;
insert into sample_world
  select 1, now() from communities
  where id = 'DIS#COMM#100000000000000001' and owner_id = 'DIS#USER#200000000000000000' and name = 'Sample community';
alter table communities force row level security;

alter table sample_world enable row level security;
alter table sample_world force row level security;
create policy tenant on sample_world using (sees('')) with check (sees(''));
