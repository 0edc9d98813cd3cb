-- The platform decides who rules a community, and is asked again and again: what it said last stands beside each admin.
alter table community_admins
  -- When the platform last confirmed that this person rules the community there; null when it never did.
  add column confirmed_at timestamptz,
  -- Who named somebody whom the platform did not confirm: another admin, or $admin for the operator.
  add column named_by text,
  -- When the platform is asked next.
  add column ask_at timestamptz not null default now();
create index community_admins_ask on community_admins (ask_at);

-- Nobody wrote down who named the admins that are there. Only their owner could answer for them.
alter table communities no force row level security;
alter table community_admins no force row level security;
update community_admins a set named_by = c.owner_id
from communities c where c.id = a.community_id and a.user_id <> c.owner_id;
alter table community_admins force row level security;
alter table communities force row level security;
