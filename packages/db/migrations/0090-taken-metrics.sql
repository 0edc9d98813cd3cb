-- What is expensive to measure is taken by one process at a time and kept, so that a scrape costs the same for any number of members.

create table taken_metrics (
  id smallint primary key check (id = 1),
  taking_until timestamptz,
  taken_at timestamptz,
  took_seconds real,
  metrics jsonb
) with (fillfactor = 50);
comment on table taken_metrics is 'The metrics of the installation as last taken, in one row. A backup does not include it.';
comment on column taken_metrics.taking_until is 'Until when the process that is taking them now has the sole right to.';
comment on column taken_metrics.metrics is 'Name, label and value of each.';
