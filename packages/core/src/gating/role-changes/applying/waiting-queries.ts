import { type Sql, sql, type Tx } from '@latchkey/db';
import { selectShadowOn } from '../shadow/queries.ts';
import type { ChangeSetItemRow } from '../tables.ts';
import { isStopped } from './breaker-queries.ts';
import '../tables.ts';

// Changes that something in the community applies when it next calls.

export async function makeDue(tx: Tx, communityId: string, userIds: readonly string[], now: Date): Promise<void> {
  await tx
    .updateTable('change_set_items')
    .set({ due_at: now })
    .where('community_id', '=', communityId)
    .where('user_id', '=', (eb) => eb.fn.any(eb.val([...userIds])))
    .where('state', '=', 'pending')
    .execute();
}

/** Changes of these members that are still to be written: neither withdrawn nor stopped, and not in shadow mode. */
export async function selectStillWaiting(
  db: Sql,
  communityId: string,
  userIds: readonly string[],
): Promise<Pick<ChangeSetItemRow, 'user_id' | 'role_id' | 'action'>[]> {
  if (userIds.length === 0 || (await selectShadowOn(db, communityId)) !== undefined) return [];
  const { rows } = await sql<Pick<ChangeSetItemRow, 'user_id' | 'role_id' | 'action'>>`
    select i.user_id, i.role_id, i.action from change_set_items i
    where i.community_id = ${communityId} and i.user_id = any(${[...userIds]}::text[])
      and i.state in ('pending', 'sent') and not ${isStopped}`.execute(db);
  return rows;
}
