import type { Tx } from '@latchkey/db';
import { AppError, principalId } from '@latchkey/kernel';
import type { CommunityRow } from '../../communities/community/index.ts';
import type { Context } from '../../shared/context.ts';
import type { RoleChange } from './change-set.ts';
import { dropWaiting, lockCommunity, moveChangeSet, selectWritten } from './change-set-queries.ts';
import { putChangeSet } from './make-change-set.ts';
import { ownChangeSet } from './own-change-set.ts';
import { ownCauses } from './rule-items.ts';
import { refuseInShadow } from './shadow/guard.ts';
import { suppressPairs } from './suppression-queries.ts';
import type { ChangeSetRow } from './tables.ts';
import { wakeWriter } from './wake.ts';

/**
 * Puts back what a change set changed, by a change set of its own, and stops the rest of it. The members concerned are left alone
 * afterwards, until an admin asks for a check of them or the rules of the role change: otherwise the next sweep would do
 * the same again.
 */
export async function undoChangeSet(ctx: Context, changeSetId: string): Promise<ChangeSetRow> {
  const { changeSet, community } = await ownChangeSet(ctx, changeSetId);
  return ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, community.id);
    await refuseInShadow(tx, community.id);
    return undoChangeSetIn(ctx, tx, changeSet, community);
  });
}

/** The same, in a transaction that holds the community. */
export async function undoChangeSetIn(
  ctx: Context,
  tx: Tx,
  changeSet: ChangeSetRow,
  community: CommunityRow,
): Promise<ChangeSetRow> {
  const isMoved = await moveChangeSet(tx, changeSet.id, ['approved', 'applying', 'done', 'failed'], {
    status: 'undone',
    finished_at: ctx.clock(),
  });
  if (!isMoved)
    throw new AppError(
      'STATE_CONFLICT',
      `Only a change set that was written can be undone; this one is ${changeSet.status}.`,
    );
  await dropWaiting(tx, changeSet.id);
  const written = await selectWritten(tx, changeSet.id);
  const changes = written.map(
    ({ user_id, role_id, action }): RoleChange => ({
      userId: user_id,
      roleId: role_id,
      action: action === 'grant' ? 'revoke' : 'grant',
      reason: { undoes: changeSet.id },
      blocks: {},
    }),
  );
  await suppressPairs(tx, community.id, changeSet.id, changes, ctx.clock());
  const undo = await putChangeSet(
    ctx,
    tx,
    { community, cause: ownCauses.undo, changes, unknowns: 0, isUrgent: true },
    'approved',
    { undoes: changeSet.id, decided_by: principalId(ctx.actor), decided_at: ctx.clock() },
  );
  await wakeWriter(tx, community.id);
  return undo;
}
