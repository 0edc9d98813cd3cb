import { sql } from '@latchkey/db';

/** What metrics show of communities: rows of (figure, label, value) for one statement over all features. */
export const communityMetrics = sql`
  select 'communities' as metric, platform as label, count(*)::float8 as value
  from communities where status = 'active' group by platform`;
