import { sql } from 'kysely';

/** How much continuous work is held by a process, by kind. The names of leases begin with the kind. */
export const leaseMetrics = sql`
  select 'work-held' as metric,
    case when name like 'discord/%/shard/%' then 'discord-shard' else split_part(name, '/', 1) end as label,
    count(*)::float8 as value
  from leases where until > now() and name not like 'discord/%/worker/%' group by 2`;
