-- How much members are shown of a rule: everything, that there is a condition which is not told, or nothing.
alter table community_rules
  add column visibility text not null default 'public' check (visibility in ('public', 'secret', 'hidden'));

-- Every change of a rule: who, when, and the rule before and after. It outlives the rule, and goes with the community.
create table community_rule_changes (
  id bigint generated always as identity primary key,
  community_id text not null references communities (id) on delete cascade,
  rule_id text not null,
  action text not null check (action in ('created', 'changed', 'removed')),
  changed_by text not null,
  changed_at timestamptz not null,
  -- The role, the definition and the visibility.
  before jsonb,
  after jsonb,
  check ((before is null) = (action = 'created')),
  check ((after is null) = (action = 'removed'))
);
create index community_rule_changes_rule on community_rule_changes (community_id, rule_id, id desc);
create index community_rule_changes_person on community_rule_changes (changed_by);
alter table community_rule_changes enable row level security;
create policy tenant on community_rule_changes
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));
