-- Communities in which another bot writes the roles: what the rules here say is only compared with what is there.
create table shadow_modes (
  community_id text primary key references communities (id) on delete cascade,
  started_at timestamptz not null,
  -- Set when Latchkey took over; the plan holds what that changed.
  taken_over_at timestamptz,
  take_over_plan_id text,
  -- Puts back what the take-over changed, and is written although the community is in shadow mode again.
  undo_plan_id text
);

-- Where the roles of a day differed from the rules, as last seen on that day.
create table shadow_differences (
  community_id text not null references communities (id) on delete cascade,
  day date not null,
  user_id text not null,
  role_id text not null,
  -- What the rules here would have done.
  action text not null check (action in ('grant', 'revoke')),
  seen_at timestamptz not null,
  primary key (community_id, day, user_id, role_id)
);
create index shadow_differences_person on shadow_differences (user_id);
create index shadow_differences_day on shadow_differences (day);
