import { type Sql, sql } from '@latchkey/db';
import type { LedgerRow } from './tables.ts';

export interface LedgerFilter {
  userId?: string | undefined;
  roleId?: string | undefined;
}

/** What was given and taken in a community, newest first, before the entry `before`. */
export function selectLedger(
  db: Sql,
  communityId: string,
  { userId, roleId }: LedgerFilter,
  before: string | undefined,
  limit: number,
): Promise<LedgerRow[]> {
  return db
    .selectFrom('role_ledger')
    .selectAll()
    .where('community_id', '=', communityId)
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId ?? ''))
    .$if(roleId !== undefined, (query) => query.where('role_id', '=', roleId ?? ''))
    .$if(before !== undefined, (query) => query.where('id', '<', Number(before)))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** What was last done to each role of each member since a time. */
export async function selectWrittenSince(
  db: Sql,
  communityId: string,
  since: Date,
): Promise<Pick<LedgerRow, 'user_id' | 'role_id' | 'action'>[]> {
  const { rows } = await sql<Pick<LedgerRow, 'user_id' | 'role_id' | 'action'>>`
    select distinct on (user_id, role_id) user_id, role_id, action from role_ledger
    where community_id = ${communityId} and at > ${since} order by user_id, role_id, id desc`.execute(db);
  return rows;
}

/** Since when the ledger has somebody hold each role: the first time it was given after it was last taken. */
export async function selectGrantedSince(
  db: Sql,
  userId: string,
  communityIds: readonly string[],
): Promise<{ community_id: string; role_id: string; since: Date }[]> {
  if (communityIds.length === 0) return [];
  const { rows } = await sql<{ community_id: string; role_id: string; since: Date }>`
    select g.community_id, g.role_id, min(g.at) as since from role_ledger g
    where g.user_id = ${userId} and g.community_id = any(${[...communityIds]}::text[]) and g.action = 'grant'
      and not exists (
        select from role_ledger r
        where r.community_id = g.community_id and r.user_id = g.user_id and r.role_id = g.role_id
          and r.action = 'revoke' and r.id > g.id)
    group by g.community_id, g.role_id`.execute(db);
  return rows;
}
