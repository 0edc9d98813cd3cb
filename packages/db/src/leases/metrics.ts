import { sql } from 'kysely';
import type { Sql } from '../database.ts';
import { leaseTtlMs } from './leases.ts';

/** How much continuous work is held by a process, by kind. The names of leases begin with the kind. */
export const leaseMetrics = sql`
  select 'work-held' as metric,
    case when name like 'discord/%/shard/%' then 'discord-shard' else split_part(name, '/', 1) end as label,
    count(*)::float8 as value
  from leases where until > now() and name not like 'discord/%/worker/%' group by 2`;

/** The leases with this beginning that are held, and how long ago their holder last said so. */
export async function selectRenewals(db: Sql, prefix: string): Promise<{ name: string; secondsAgo: number }[]> {
  const { rows } = await sql<{ name: string; secondsAgo: number }>`
    select name, greatest(0, ${leaseTtlMs / 1000} - extract(epoch from until - clock_timestamp()))::float8 as "secondsAgo"
    from leases where starts_with(name, ${prefix}) and until > clock_timestamp() order by name`.execute(db);
  return rows;
}
