-- Notices of held change sets that grew while they waited.
-- safe: the new constraint allows everything that the old one did
alter table admin_notices drop constraint admin_notices_kind_check;
-- safe: every row satisfied the narrower constraint, so none has to be read
alter table admin_notices add constraint admin_notices_kind_check check (
  kind in (
    'held-change-set', 'held-growth', 'blocked-role', 'broken-setup', 'large-change', 'rule-health', 'manual-changes',
    'back-doors', 'gate-bypass'
  )
) not valid;
comment on column admin_notices.about is 'Role changes (with how often they doubled, if they grew), a role, * for every role, a problem with the setup, or what prevents rules from being evaluated.';
