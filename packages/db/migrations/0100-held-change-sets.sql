-- What changed in a change set while it waited for approval.

alter table change_set_items add column joined_at timestamptz;
comment on column change_set_items.joined_at is 'When a later check added it to a change set that was held already; null if it was planned from the beginning.';

alter table change_sets add column refreshed_at timestamptz;
comment on column change_sets.refreshed_at is 'When its members were last queued for a check because an admin opened it while it was held.';
