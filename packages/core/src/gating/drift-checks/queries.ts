import { type Sql, sql } from '@latchkey/db';
import { chatPlatforms, type PlatformName } from '@latchkey/kernel';
import { activeCommunities } from '../../communities/community-records/index.ts';
import { hasRules } from '../../communities/rule-records/index.ts';

declare module '@latchkey/db/tables' {
  interface Tables {
    drift_checks: { community_id: string; due_at: Date; differs_since: Date | null };
  }
}

/** Claims active communities with rules on these platforms whose role counts are due to be compared. */
export async function claimDue(
  db: Sql,
  platforms: readonly PlatformName[],
  { now, nextAt, limit }: { now: Date; nextAt: Date; limit: number },
): Promise<string[]> {
  const prefixes = platforms.map((name) => `${chatPlatforms[name].prefix}#`);
  const { rows } = await sql<{ community_id: string }>`
    insert into drift_checks (community_id, due_at)
    select c.id, ${nextAt} from (${activeCommunities}) c left join drift_checks k on k.community_id = c.id
    where exists (select from unnest(${prefixes}::text[]) as p (prefix) where starts_with(c.id, p.prefix))
      and (k.due_at is null or k.due_at <= ${now}) and ${hasRules(sql.ref('c.id'))}
    order by k.due_at nulls first, c.id limit ${limit}
    on conflict (community_id) do update set due_at = excluded.due_at
    returning community_id`.execute(db);
  return rows.map(({ community_id }) => community_id);
}

/** Stores since when the counts differ, and returns since when they did before. */
export async function noteDifference(
  db: Sql,
  communityId: string,
  { since, dueAt }: { since: Date | null; dueAt: Date },
): Promise<Date | undefined> {
  const { rows } = await sql<{ before: Date | null }>`
    with former as (select differs_since from drift_checks where community_id = ${communityId})
    insert into drift_checks (community_id, due_at, differs_since) values (${communityId}, ${dueAt}, ${since})
    on conflict (community_id) do update set due_at = excluded.due_at, differs_since = excluded.differs_since
    returning (select differs_since from former) as before`.execute(db);
  return rows[0]?.before ?? undefined;
}
