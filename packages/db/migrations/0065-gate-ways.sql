-- How many joins each way around the gate of a Telegram chat had, so that the list needs no count of all joins.
create table gate_ways (
  community_id text not null references communities on delete cascade,
  way_id text not null,
  joins integer not null check (joins > 0),
  last_at timestamptz not null,
  primary key (community_id, way_id)
);
comment on table gate_ways is 'The ways of gate_bypasses, each with how many of its joins are kept and when the last one was. Kept by triggers.';
create index gate_ways_latest on gate_ways (community_id, last_at desc, way_id);

create function count_bypasses() returns trigger language plpgsql as $$
begin
  insert into gate_ways as w (community_id, way_id, joins, last_at)
  select community_id, way_id, count(*), max(joined_at) from added group by community_id, way_id
  order by community_id, way_id
  on conflict (community_id, way_id) do update
    set joins = w.joins + excluded.joins, last_at = greatest(w.last_at, excluded.last_at);
  return null;
end;
$$;

create function uncount_bypasses() returns trigger language plpgsql as $$
begin
  delete from gate_ways w using (select community_id, way_id, count(*) as joins from gone group by community_id, way_id) g
  where w.community_id = g.community_id and w.way_id = g.way_id and w.joins <= g.joins;
  update gate_ways w set joins = w.joins - g.joins, last_at = (
    select max(b.joined_at) from gate_bypasses b where b.community_id = w.community_id and b.way_id = w.way_id
  )
  from (select community_id, way_id, count(*) as joins from gone group by community_id, way_id) g
  where w.community_id = g.community_id and w.way_id = g.way_id;
  return null;
end;
$$;

create trigger gate_bypasses_count after insert on gate_bypasses
  referencing new table as added for each statement execute function count_bypasses();
create trigger gate_bypasses_uncount after delete on gate_bypasses
  referencing old table as gone for each statement execute function uncount_bypasses();

-- The triggers lock out joins until this is committed, so that each is counted once.
insert into gate_ways (community_id, way_id, joins, last_at)
select community_id, way_id, count(*), max(joined_at) from gate_bypasses group by community_id, way_id;
