-- Since when a check is due, and since when the check that made a plan was: how long people wait for a role is measured by them.
alter table role_touches add column since timestamptz not null default now();
alter table role_plans add column touched_at timestamptz;
