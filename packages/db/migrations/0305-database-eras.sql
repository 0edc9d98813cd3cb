-- When PostgreSQL restarts or a standby takes over, every worker loses its connection and with it the lock that shows it
-- lives. That is no crash of a job. Each life of the database has a name here, so that workers can tell.
create table database_eras (
  era text primary key,
  begun_at timestamptz not null
);

-- Its start and its timeline, which counts the times that a standby was promoted. Some hosted databases do not tell their
-- timeline; the start has to do there.
create function database_era() returns text language plpgsql stable as $$
declare
  started text := extract(epoch from pg_postmaster_start_time())::text;
begin
  return started || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8);
exception when others then
  return started;
end
$$;
