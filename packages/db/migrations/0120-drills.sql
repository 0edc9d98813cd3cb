-- What must be known to notice that backups are no longer tried out.

create table drills (
  at timestamptz primary key,
  is_sound boolean not null
);
comment on table drills is 'The results that latchkey drill --record reported, so that its absence and a faulty backup are noticed. A backup does not include it.';
