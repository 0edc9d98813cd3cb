import { sql } from 'kysely';

/** The metrics of jobs: rows of (metric, label, value), combined over all modules in one statement. */
export const jobMetrics = sql`
  select 'jobs' as metric, state as label, count(*)::float8 as value from jobs group by state
  union all
  select 'oldest-job', '', coalesce(extract(epoch from now() - min(run_at)), 0) from jobs where state = 'ready'`;

/** How long the most overdue of these schedules has been due. A schedule that this version does not have is ignored. */
export function scheduleMetrics(names: readonly string[]) {
  return sql`
  select 'schedule-overdue' as metric, '' as label,
    coalesce(greatest(0, extract(epoch from now() - min(next_run_at))), 0)::float8 as value
  from schedules where name = any(${names})`;
}
