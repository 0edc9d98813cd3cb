-- Changes of log settings, in order. A process that was cut off for a moment reads here what it missed.
create table log_setting_changes (
  version bigint generated always as identity primary key,
  requests jsonb not null,
  changed_by text not null,
  changed_at timestamptz not null
);
