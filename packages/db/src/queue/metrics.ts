import { sql } from 'kysely';

/** The metrics of jobs: rows of (metric, label, value), combined over all modules in one statement. */
export const jobMetrics = sql`
  select 'jobs' as metric, state as label, count(*)::float8 as value from jobs group by state
  union all
  select 'oldest-job', '', coalesce(extract(epoch from now() - min(run_at)), 0) from jobs where state = 'ready'`;
