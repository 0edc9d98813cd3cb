import { sql } from '@latchkey/db';

/** The shards that should be open. Workers read the number every hour, so an older one belongs to a bot that was replaced. */
export const shardMetrics = sql`
  select 'work-expected' as metric, 'discord-shard' as label, sum(shard_count)::float8 as value
  from discord_gateways where read_at > now() - interval '3 hours' having count(*) > 0`;
