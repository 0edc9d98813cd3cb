-- What must be known to notice that it is absent: the last backup, and how far the NEAR index is.

create table backups (
  created_at timestamptz primary key,
  bytes bigint not null
);
comment on table backups is 'The backups that latchkey backup finished, so that their absence is noticed. A backup does not include it.';

alter table near_index_cursor add column reached_at timestamptz not null default now();
comment on column near_index_cursor.reached_at is 'When the index last had the newest block of the network.';
