-- Role changes: what is to be granted and removed, what prevents it, and the history of what was done.

create table change_sets (
  id text primary key,
  community_id text not null references communities on delete cascade,
  cause text not null,
  status text not null check (
    status in ('previewed', 'held', 'approved', 'applying', 'done', 'dropped', 'failed', 'undone', 'rejected')
  ),
  note text,
  undoes text references change_sets on delete set null,
  is_urgent boolean not null,
  grants integer not null,
  revokes integer not null,
  calls integer not null,
  unknowns integer not null,
  decided_by text,
  decided_at timestamptz,
  created_at timestamptz not null,
  finished_at timestamptz,
  queued_at timestamptz,
  written_grants integer not null default 0,
  written_revokes integer not null default 0,
  written_members integer not null default 0,
  rule_change_ids bigint[] not null default '{}',
  restored_rule_change_ids bigint[] not null default '{}',
  large_notice text not null default 'undecided' check (large_notice in ('undecided', 'none', 'open', 'final'))
);
comment on table change_sets is 'Role changes that belong together: they are previewed, held, applied and undone as one.';
comment on column change_sets.note is 'Why it is held or does not continue, as a sentence for admins.';
comment on column change_sets.is_urgent is 'Is applied before change sets that affect every member.';
comment on column change_sets.grants is 'How many roles it was planned to grant. What was granted is in written_grants.';
comment on column change_sets.revokes is 'How many roles it was planned to remove. What was removed is in written_revokes.';
comment on column change_sets.calls is 'How many members are changed, with one call each.';
comment on column change_sets.unknowns is 'How many members could not be evaluated, so that nothing is removed from them.';
comment on column change_sets.decided_by is 'Who approved, rejected or requested it; null if no admin decided.';
comment on column change_sets.queued_at is 'Since when the check that led to it was due, to measure how long members wait for a role.';
comment on column change_sets.written_grants is 'Its grants in the ledger, counted in the transaction that adds them.';
comment on column change_sets.written_revokes is 'Its removals in the ledger.';
comment on column change_sets.written_members is 'Its members in the ledger.';
comment on column change_sets.rule_change_ids is 'The rule changes that led to it; for an undo, those it made to restore rules.';
comment on column change_sets.restored_rule_change_ids is 'The rule changes by which an admin who rejected it restored its rules.';
comment on column change_sets.large_notice is 'Whether admins are notified that it is large. undecided: it may still become so. open: they are, and more may be written. final: they are, with its final numbers. none: it ended small.';
create index change_sets_community on change_sets (community_id, created_at desc, id desc);
create index change_sets_open on change_sets (community_id) where status in ('held', 'approved', 'applying', 'failed');
create index change_sets_finished on change_sets (finished_at) where finished_at is not null;
create index change_sets_previewed on change_sets (created_at) where status = 'previewed';
-- The outbox of notices about large changes: those that no admin decided and whose numbers are not final.
create index change_sets_large on change_sets (created_at)
  where decided_by is null and calls >= 10 and large_notice in ('undecided', 'open');
-- For the foreign key: deleting a row looks for those that undo it.
create index change_sets_undoes on change_sets (undoes) where undoes is not null;
alter table change_sets enable row level security;
create policy tenant on change_sets
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));

create table change_set_approvals (
  change_set_id text not null references change_sets on delete cascade,
  community_id text not null,
  approver text not null,
  approved_at timestamptz not null,
  primary key (change_set_id, approver)
);
comment on table change_set_approvals is 'Who approved a held change set, where a community wants two admins to.';
create index change_set_approvals_approver on change_set_approvals (approver);
alter table change_set_approvals enable row level security;
create policy tenant on change_set_approvals
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));

create table change_set_comments (
  id text primary key,
  change_set_id text not null references change_sets on delete cascade,
  community_id text not null,
  author text not null,
  body text not null check (length(body) between 1 and 2000),
  created_at timestamptz not null
);
comment on table change_set_comments is 'What admins wrote about a change set, as plain text.';
create index change_set_comments_order on change_set_comments (change_set_id, created_at, id);
create index change_set_comments_author on change_set_comments (author);
alter table change_set_comments enable row level security;
create policy tenant on change_set_comments
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));

create table approval_policies (
  community_id text primary key references communities on delete cascade,
  removal_percent integer check (removal_percent between 0 and 100),
  removal_count integer check (removal_count >= 1),
  removals_per_day integer check (removals_per_day >= 0),
  approvers integer not null default 1 check (approvers in (1, 2)),
  quiet_from integer check (quiet_from between 0 and 1439),
  quiet_to integer check (quiet_to between 0 and 1439),
  quiet_time_zone text,
  manual_changes text check (manual_changes in ('correct', 'report', 'leave')),
  check ((quiet_from is null) = (quiet_to is null) and (quiet_from is null) = (quiet_time_zone is null))
);
comment on table approval_policies is 'Which role changes need an admin’s approval. A missing limit is the operator’s.';
comment on column approval_policies.manual_changes is 'What happens when a role of a rule is changed manually; null leaves it until the next check.';
comment on column approval_policies.quiet_from is 'Minutes after midnight in the time zone: until quiet_to, removals wait.';
alter table approval_policies enable row level security;
create policy tenant on approval_policies
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));

create table role_approval_policies (
  community_id text not null references communities on delete cascade,
  role_id text not null,
  removal_percent integer check (removal_percent between 0 and 100),
  removal_count integer check (removal_count >= 1),
  removals_per_day integer check (removals_per_day >= 0),
  holds_grants boolean not null,
  manual_changes text check (manual_changes in ('correct', 'report', 'leave')),
  primary key (community_id, role_id)
);
comment on table role_approval_policies is 'Overrides for one role. A missing limit is that of the community.';
comment on column role_approval_policies.holds_grants is 'Members get the role only after an admin approved it.';
alter table role_approval_policies enable row level security;
create policy tenant on role_approval_policies
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));

-- Only the system can read it.
create table manual_role_changes (
  community_id text not null references communities on delete cascade,
  role_id text not null,
  added integer not null,
  removed integer not null,
  since timestamptz not null,
  last_at timestamptz not null,
  primary key (community_id, role_id)
);
comment on table manual_role_changes is 'How often a role was changed manually, where admins want to be notified of that. Counts restart after a day without a change.';
create index manual_role_changes_last on manual_role_changes (last_at);

create sequence change_set_ranks;
create table change_set_items (
  change_set_id text not null references change_sets on delete cascade,
  community_id text not null,
  user_id text not null,
  role_id text not null,
  action text not null check (action in ('grant', 'revoke')),
  state text not null check (state in ('planned', 'pending', 'sent', 'confirmed', 'failed', 'gone', 'dropped')),
  rank bigint not null,
  reason jsonb not null,
  blocks jsonb not null,
  tries integer not null default 0,
  due_at timestamptz,
  claimed_by text,
  claimed_until timestamptz,
  last_error text,
  drop_reason text check (
    drop_reason in (
      'superseded', 'already-done', 'not-needed', 'rule-changed', 'role-without-rule', 'cancelled', 'removal-rejected'
    )
  ),
  primary key (change_set_id, user_id, role_id)
);
comment on table change_set_items is 'Each role of each member that is to be granted or removed.';
comment on column change_set_items.state is 'planned: waits for an admin. pending: may be applied. sent: being applied; after a crash it is not known whether it was. confirmed: read back from the platform, and in the ledger. failed: given up after several attempts. gone: the member has left. dropped: replaced by a later decision, or nothing was left to do.';
comment on column change_set_items.drop_reason is 'Why it was dropped. superseded: by a later change set. already-done: the platform showed it already. not-needed: a later check no longer required it. rule-changed, role-without-rule: the rules changed first. cancelled: by an admin, or by shadow mode. removal-rejected: an admin approved the grants of the change set only.';
comment on column change_set_items.rank is 'The order of applying within a community: urgent ones first, then older ones.';
comment on column change_set_items.blocks is 'The blocks at which holdings were read, by chain.';
create index change_set_items_failed on change_set_items (community_id, user_id) where state = 'failed';
create index change_set_items_next on change_set_items (community_id, rank, user_id) where state = 'pending';
-- Of two changes to one role of one member, only the later one is pending.
create unique index change_set_items_pending on change_set_items (community_id, user_id, role_id) where state = 'pending';
create index change_set_items_open on change_set_items (community_id, user_id) where state in ('planned', 'pending', 'sent');
create index change_set_items_sent on change_set_items (community_id, user_id) where state = 'sent';
-- What was not written and never will be, to count it. Few changes end like this.
create index change_set_items_ended on change_set_items (change_set_id, state, drop_reason)
  where state in ('dropped', 'failed', 'gone');
create index change_set_items_due on change_set_items (due_at) where state = 'pending' and due_at is not null;
alter table change_set_items enable row level security;
create policy tenant on change_set_items
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));

create table role_circuit_breakers (
  community_id text not null references communities on delete cascade,
  role_id text not null,
  advice text not null,
  since timestamptz not null,
  user_id text not null default '*',
  fault text not null default 'refused' check (
    fault in ('missing', 'managed', 'everyone', 'above-bot', 'ruling', 'permission', 'no-access', 'refused')
  ),
  is_on_trial boolean not null default false,
  primary key (community_id, role_id, user_id)
);
comment on table role_circuit_breakers is 'Circuit breakers: roles that cannot be changed until an admin fixes something on the platform.';
comment on column role_circuit_breakers.role_id is '* means every role.';
comment on column role_circuit_breakers.user_id is '* means every member.';
comment on column role_circuit_breakers.is_on_trial is 'Half-open: the next change may try it. A rejection opens the breaker again, a success removes it.';
alter table role_circuit_breakers enable row level security;
create policy tenant on role_circuit_breakers
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));

create table role_suppressions (
  community_id text not null references communities on delete cascade,
  user_id text not null,
  role_id text not null,
  change_set_id text not null,
  since timestamptz not null,
  primary key (community_id, user_id, role_id)
);
comment on table role_suppressions is 'Suppressions: roles that an undo or a rejection restored, left alone until an admin requests a check or the rules of the role change.';
alter table role_suppressions enable row level security;
create policy tenant on role_suppressions
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));

create table role_ledger (
  id bigint generated always as identity primary key,
  community_id text not null,
  user_id text not null,
  role_id text not null,
  action text not null check (action in ('grant', 'revoke')),
  at timestamptz not null,
  change_set_id text not null,
  is_automatic boolean not null,
  reason jsonb not null,
  blocks jsonb not null,
  unique (change_set_id, user_id, role_id)
);
comment on table role_ledger is 'The history of roles: who got or lost which role, when and why. It is append-only and outlives the community.';
comment on column role_ledger.is_automatic is 'No admin approved it: such removals count towards the limit that holds further ones.';
comment on column role_ledger.blocks is 'The blocks at which holdings were read, by chain.';
create index role_ledger_at on role_ledger (community_id, role_id, user_id, at desc, id desc);
create index role_ledger_removals on role_ledger (community_id, role_id, at) where action = 'revoke' and is_automatic;
create index role_ledger_user on role_ledger (user_id);
create index role_ledger_newest on role_ledger (community_id, id);
create index role_ledger_member on role_ledger (community_id, user_id, id);
create index role_ledger_days on role_ledger (community_id, at);
alter table role_ledger enable row level security;
create policy tenant on role_ledger
  using (user_id = (select current_tenant()) or community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));

-- Returns a reason for a role without the accounts that were read: only which rules were evaluated, and the results.
create function without_accounts(reason jsonb) returns jsonb language sql immutable parallel safe
return case
  when jsonb_typeof(reason -> 'rules') = 'array' then reason || jsonb_build_object('rules', coalesce(
    (select jsonb_agg(jsonb_build_object('id', r -> 'id', 'truth', r -> 'truth'))
     from jsonb_array_elements(reason -> 'rules') as r),
    '[]'
  ))
  else reason
end;

-- Two changes are allowed: removing the accounts that were read, and replacing an erased user with a pseudonym.
create function refuse_ledger_rewrite() returns trigger language plpgsql as $$
begin
  if (new.id, new.community_id, new.role_id, new.action, new.at, new.change_set_id, new.is_automatic, new.blocks)
      = (old.id, old.community_id, old.role_id, old.action, old.at, old.change_set_id, old.is_automatic, old.blocks)
    and new.reason in (old.reason, without_accounts(old.reason))
    and (new.user_id = old.user_id
      or starts_with(new.user_id, 'ERASED#USER#') and not starts_with(old.user_id, 'ERASED#USER#'))
  then
    return new;
  end if;
  raise exception 'The role ledger is only ever added to.';
end
$$;
create trigger role_ledger_never_rewritten before update on role_ledger
  for each row execute function refuse_ledger_rewrite();
create function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  raise exception 'The role ledger is only ever added to.';
end
$$;
create trigger role_ledger_append_only before delete or truncate on role_ledger
  for each statement execute function refuse_ledger_change();

create table shadow_modes (
  community_id text primary key references communities (id) on delete cascade,
  started_at timestamptz not null,
  taken_over_at timestamptz,
  take_over_change_set_id text,
  undo_change_set_id text,
  take_over_requested_at timestamptz,
  take_over_members integer,
  take_over_checked integer not null default 0,
  take_over_after text,
  take_over_problem text
);
comment on table shadow_modes is 'Communities in which another bot manages the roles, and Latchkey only compares them with its rules.';
comment on column shadow_modes.taken_over_at is 'When Latchkey took over.';
comment on column shadow_modes.take_over_change_set_id is 'The role changes of the takeover.';
comment on column shadow_modes.undo_change_set_id is 'Undoes what the takeover changed, and is applied although the community is in shadow mode again.';
comment on column shadow_modes.take_over_requested_at is 'When an admin started the takeover, while it is in progress.';
comment on column shadow_modes.take_over_after is 'The last member that was checked.';
comment on column shadow_modes.take_over_problem is 'Why the takeover waits or was given up.';

create table shadow_differences (
  community_id text not null references communities (id) on delete cascade,
  day date not null,
  user_id text not null,
  role_id text not null,
  action text not null check (action in ('grant', 'revoke')),
  seen_at timestamptz not null,
  reason jsonb,
  primary key (community_id, day, user_id, role_id)
);
comment on table shadow_differences is 'Where roles differed from the rules in shadow mode, as last seen on each day.';
comment on column shadow_differences.action is 'What the rules would have done.';
comment on column shadow_differences.reason is 'Why the rules would have done it, without wallet addresses.';
create index shadow_differences_person on shadow_differences (user_id);
create index shadow_differences_day on shadow_differences (day);
