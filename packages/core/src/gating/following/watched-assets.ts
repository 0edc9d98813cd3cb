import type { Sql } from '@latchkey/db';
import './tables.ts';

/** The assets that rules of active communities name. */
export function selectWatched(db: Sql): Promise<{ chain: string; standard: string; reference: string }[]> {
  return db
    .selectFrom('rule_assets as a')
    .innerJoin('communities as c', 'c.id', 'a.community_id')
    .select(['a.chain', 'a.standard', 'a.reference'])
    .where('c.status', '=', 'active')
    .distinct()
    .orderBy('a.chain')
    .orderBy('a.reference')
    .execute();
}

/** The chains that the rules of a community read. */
export async function selectChainsInRules(db: Sql, communityId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('rule_assets')
    .select('chain')
    .where('community_id', '=', communityId)
    .distinct()
    .orderBy('chain')
    .execute();
  return rows.map(({ chain }) => chain);
}
