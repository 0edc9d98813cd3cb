-- safe: the new constraint allows everything that the old one did
alter table reconcile_queue drop constraint reconcile_queue_cause_check;
-- safe: every row satisfied the narrower constraint, so none has to be read
alter table reconcile_queue add constraint reconcile_queue_cause_check
  check (cause in ('requested', 'schedule', 'wallet', 'chain', 'rule', 'joined', 'left', 'manual-change')) not valid;

comment on column community_members.role_ids is
  'The roles last seen. Of a member who left, those that leaving did not end: on Matrix, rooms and power levels outlast the space.';
