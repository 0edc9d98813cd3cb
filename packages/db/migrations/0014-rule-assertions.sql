create table rule_assertions (
  community_id text not null references communities on delete cascade,
  position integer not null,
  name text,
  role_id text not null,
  unless_role_id text,
  unless_holds jsonb,
  primary key (community_id, position),
  check ((unless_role_id is null) <> (unless_holds is null))
);
comment on table rule_assertions is 'What must stay true of a community’s rules: nobody gets a role without another role, or without what meets a condition. Saving a rule that breaks one is refused.';
comment on column rule_assertions.unless_holds is 'The condition in the API’s format for rules.';
alter table rule_assertions enable row level security;
create policy tenant on rule_assertions
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));
