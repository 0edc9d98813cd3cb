-- Which file the rules of a community come from, and whether only that file changes them.
create table managed_rules (
  community_id text primary key references communities on delete cascade,
  file text,
  repository text,
  commit_id text,
  applied_at timestamptz,
  applied_by text,
  applied_by_client text,
  version text,
  brakes_version text,
  locked_at timestamptz,
  locked_by text,
  locked_to text,
  check ((locked_at is null) = (locked_by is null)),
  check (locked_at is not null or locked_to is null)
);
comment on table managed_rules is 'The file that was last applied to a community, and the lock by which only a file changes its rules. One row for each community that applied a file or was locked.';
comment on column managed_rules.file is 'The file, repository and commit as the command that applied them named them; null where it did not.';
comment on column managed_rules.version is 'The version of the rules, passes and settings right after they were applied, or locked without a file. Another version means that they were changed elsewhere.';
comment on column managed_rules.brakes_version is 'The same for the approval policy; null until one was applied.';
comment on column managed_rules.applied_by_client is 'The application whose key applied them; null for an admin or the operator.';
comment on column managed_rules.locked_to is 'The application whose key may change locked rules; null until the first one applies a file.';
alter table managed_rules enable row level security;
create policy tenant on managed_rules
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));
