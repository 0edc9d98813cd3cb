import { sql } from '@latchkey/db';

/** The metrics of failed webhooks: rows of (metric, label, value), combined over all modules in one statement. */
export const webhookMetrics = sql`
  select 'webhook-deliveries' as metric, status as label, count(*)::float8 as value from webhook_deliveries
    where status in ('failed', 'disabled') group by status
  union all
  select 'disabled-webhooks', '', count(*) from webhook_endpoints where disabled_at is not null and retired_at is null`;
