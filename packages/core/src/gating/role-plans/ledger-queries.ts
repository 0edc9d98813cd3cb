import type { Sql } from '@latchkey/db';
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
