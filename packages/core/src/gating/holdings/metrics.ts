import { sql } from '@latchkey/db';

/** Metrics of followed chains: rows of (metric, label, value), combined over all modules in one statement. */
export const chainMetrics = sql`
  select 'chain-behind' as metric, chain as label, greatest(0, extract(epoch from now() - followed_at))::float8 as value
    from followed_chains
  union all
  select 'chain-block', chain, number from followed_chains`;
