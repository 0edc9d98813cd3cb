import { sql } from '@latchkey/db';

/** Metrics of the reconcile queue: rows of (metric, label, value), combined over all modules in one statement. */
export const checkMetrics = sql`
  select 'checks' as metric, case when due_at > now() then 'postponed' else 'due' end as label, count(*)::float8 as value
    from reconcile_queue group by 2
  union all
  select 'oldest-check', '', coalesce(extract(epoch from now() - min(since)), 0) from reconcile_queue
    where due_at is null or due_at <= now()`;
