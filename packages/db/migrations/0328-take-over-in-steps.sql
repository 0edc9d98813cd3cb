-- A take-over from shadow mode that was asked for and is not through: how far it is. Its changes are gathered in the plan.
alter table shadow_modes
  add column take_over_asked_at timestamptz,
  add column take_over_members integer,
  add column take_over_checked integer not null default 0,
  -- The last member that was checked.
  add column take_over_after text,
  -- Why it waits, or was given up.
  add column take_over_problem text;
