import { type Sql, sql } from '@latchkey/db';
import type { ChangeSetRow, LedgerRow } from '../tables.ts';

/** The newest entry for each role of one member, at a time. */
export async function selectEntriesAt(db: Sql, communityId: string, userId: string, at: Date): Promise<LedgerRow[]> {
  const { rows } = await sql<LedgerRow>`
    select distinct on (role_id) * from role_ledger
    where community_id = ${communityId} and user_id = ${userId} and at <= ${at}
    order by role_id, at desc, id desc`.execute(db);
  return rows;
}

/** Who decided these change sets, as far as they are still kept. */
export function selectDeciders(
  db: Sql,
  changeSetIds: readonly string[],
): Promise<Pick<ChangeSetRow, 'id' | 'cause' | 'decided_by'>[]> {
  return db
    .selectFrom('change_sets')
    .select(['id', 'cause', 'decided_by'])
    .where('id', '=', (eb) => eb.fn.any(eb.val([...new Set(changeSetIds)])))
    .execute();
}
