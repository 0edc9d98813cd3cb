import { type Sql, sql } from '@latchkey/db';
import type { LedgerRow, RolePlanRow } from '../tables.ts';

/** The newest entry for each role of one member, at a time. */
export async function selectEntriesAt(db: Sql, communityId: string, userId: string, at: Date): Promise<LedgerRow[]> {
  const { rows } = await sql<LedgerRow>`
    select distinct on (role_id) * from role_ledger
    where community_id = ${communityId} and user_id = ${userId} and at <= ${at}
    order by role_id, at desc, id desc`.execute(db);
  return rows;
}

/** Who decided these plans, as far as they are still kept. */
export function selectDeciders(
  db: Sql,
  planIds: readonly string[],
): Promise<Pick<RolePlanRow, 'id' | 'cause' | 'decided_by'>[]> {
  return db
    .selectFrom('role_plans')
    .select(['id', 'cause', 'decided_by'])
    .where('id', '=', (eb) => eb.fn.any(eb.val([...new Set(planIds)])))
    .execute();
}
