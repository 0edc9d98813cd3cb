import { sql } from '@latchkey/db';

/** What metrics show of followed chains: rows of (figure, label, value) for one statement over all features. */
export const chainFigures = sql`
  select 'chain-behind' as figure, chain as label, greatest(0, extract(epoch from now() - followed_at))::float8 as value
    from followed_chains
  union all
  select 'chain-block', chain, number from followed_chains`;
