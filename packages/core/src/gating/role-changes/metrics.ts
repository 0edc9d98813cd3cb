import { sql } from '@latchkey/db';

/**
 * Metrics of change sets and blocked roles: rows of (metric, label, value), combined over all modules in one statement.
 */
export const changeSetMetrics = sql`
  select 'change-sets' as metric, status as label, count(*)::float8 as value from change_sets
    where status in ('held', 'approved', 'applying', 'failed') group by status
  union all
  select 'oldest-held-change-set', '', coalesce(extract(epoch from now() - min(created_at)), 0) from change_sets
    where status in ('held', 'approved', 'applying', 'failed') and status = 'held'
  union all
  select 'blocked-roles', fault, count(*) from role_circuit_breakers where not is_on_trial group by fault`;
