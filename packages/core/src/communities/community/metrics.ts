import { sql } from '@latchkey/db';

/** What metrics show of communities: rows of (metric, label, value), combined over all modules in one statement. */
export const communityMetrics = sql`
  select 'communities' as metric, platform as label, count(*)::float8 as value
  from communities where status = 'active' group by platform`;
