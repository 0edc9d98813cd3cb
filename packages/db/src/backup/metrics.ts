import { sql } from 'kysely';

/**
 * The age of the newest backup, or of the database if it has none; and of the newest archived piece of its log. The age of the last
 * drill that found a backup sound, or of the database; and of the last drill, if it did not.
 */
export const backupMetrics = sql`
  select 'backup-age' as metric, 'backup' as label, extract(epoch from now() -
    coalesce((select max(created_at) from backups), (select min(applied_at) from migrations)))::float8 as value
  union all
  select 'backup-age', 'archive', extract(epoch from now() - last_archived_time)
  from pg_stat_archiver where last_archived_time is not null
  union all
  select 'drill-age', 'sound', extract(epoch from now() -
    coalesce((select max(at) from drills where is_sound), (select min(applied_at) from migrations)))
  union all
  select 'drill-age', 'failed', extract(epoch from now() - at)
  from drills where at = (select max(at) from drills) and not is_sound`;
