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
