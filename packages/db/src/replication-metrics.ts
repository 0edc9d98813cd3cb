import { sql } from 'kysely';

/** How much of the write-ahead log the slowest replica or archive with a slot has not received yet. */
export const replicationMetrics = sql`
  select 'replication-behind' as metric, slot_name::text as label,
    greatest(0, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn))::float8 as value
  from pg_replication_slots where restart_lsn is not null and not pg_is_in_recovery()`;
