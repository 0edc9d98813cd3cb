-- Which process does which continuous work. The clock is the database's. A token is never given twice and grows from one
-- holder of a name to the next, so that a write by an earlier holder can be told from one by the present holder.
create sequence lease_tokens;

create table leases (
  name text primary key check (length(name) between 1 and 200),
  owner text not null,
  token bigint not null,
  until timestamptz not null
);
