-- Which request a job comes from, and the span of a trace that it continues: so that its log lines and spans are found with those of
-- who asked for it. Absent for what the clock brings.
alter table jobs add column request_id text, add column trace_parent text;

-- As before, with the two columns. Processes of the version before send neither.
create or replace function enqueue_jobs(asked text, proof text) returns table (id bigint, state text, again boolean)
  language sql security definer
begin atomic
  insert into jobs (name, key, group_id, unique_key, payload, run_at, state, request_id, trace_parent)
  select g.name, g.key, coalesce(g.group_id, ''), g.unique_key, coalesce(g.payload, 'null'), d.due,
    case when d.due > clock_timestamp() then 'delayed' else 'ready' end, g.request_id, g.trace_parent
  from rows from (
    jsonb_to_recordset(case when is_proven('jobs', asked, proof) then asked::jsonb else refuse_unproven() end)
    as (name text, key text, group_id text, unique_key text, payload jsonb, delay_seconds float8, run_at timestamptz,
      request_id text, trace_parent text)
  ) with ordinality as g (
    name, key, group_id, unique_key, payload, delay_seconds, run_at, request_id, trace_parent, position
  ),
  lateral (
    select coalesce(g.run_at, clock_timestamp() + make_interval(secs => coalesce(g.delay_seconds, 0)))
  ) as d (due)
  order by g.unique_key nulls first, g.position
  on conflict (name, unique_key) where unique_key is not null and state <> 'dead'
  do update set again = true where jobs.state = 'running'
  returning jobs.id, jobs.state, jobs.again;
end;
