import { sql } from '@latchkey/db';
import { followedChains } from '../holdings/index.ts';

/** The followed chains that rules still name, each of which one process should hold. */
export const followerMetrics = sql`
  select 'work-expected' as metric, 'chain' as label, count(*)::float8 as value
  from (${followedChains}) f where exists (select from rule_assets a where a.chain = f.chain) having count(*) > 0`;
