import { sql } from '@latchkey/db';

/** When the next key of the operator expires. Absent if none ever does. */
export const keyMetrics = sql`
  select 'key-expires' as metric, '' as label, extract(epoch from min(expires_at) - now())::float8 as value
  from admin_keys where revoked_at is null and expires_at > now() having count(*) > 0`;
