-- Since when a check is due, and since when the check that made a plan was: how long people wait for a role is measured by them.
alter table reconcile_queue add column since timestamptz not null default now();
alter table change_sets add column queued_at timestamptz;
