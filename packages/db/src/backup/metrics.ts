import { sql } from 'kysely';

/** The age of the newest backup, or of the database if it has none; and of the newest archived piece of its log. */
export const backupMetrics = sql`
  select 'backup-age' as metric, 'backup' as label, extract(epoch from now() -
    coalesce((select max(created_at) from backups), (select min(applied_at) from migrations)))::float8 as value
  union all
  select 'backup-age', 'archive', extract(epoch from now() - last_archived_time)
  from pg_stat_archiver where last_archived_time is not null`;
