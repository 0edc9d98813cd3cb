import { sql } from 'kysely';

/**
 * How much of the write-ahead log the slowest replica or archive with a slot has not received yet; how many replicas are connected,
 * with or without a slot; and how large the database is. A login without pg_monitor sees that a replica is there, not its state.
 */
export const replicationMetrics = sql`
  select 'replication-behind' as metric, slot_name::text as label,
    greatest(0, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn))::float8 as value
  from pg_replication_slots where restart_lsn is not null and not pg_is_in_recovery()
  union all
  select 'replicas', '', (select count(*) from pg_stat_replication where coalesce(state, 'streaming') = 'streaming')
  where not pg_is_in_recovery()
  union all
  select 'database-size', '', pg_database_size(current_database())`;
