import type { Tx } from '@latchkey/db';
import { AppError, principalId } from '@latchkey/kernel';
import type { CommunityRow } from '../../communities/community/index.ts';
import type { Context } from '../../shared/context.ts';
import { putPlan } from './make-plan.ts';
import { ownPlan } from './own-plan.ts';
import { pausePairs } from './pause-queries.ts';
import type { RoleChange } from './plan.ts';
import { dropWaiting, lockCommunity, movePlan, selectWritten } from './plan-queries.ts';
import { ownCauses } from './rule-items.ts';
import { refuseInShadow } from './shadow/guard.ts';
import type { RolePlanRow } from './tables.ts';
import { wakeWriter } from './wake.ts';

/**
 * Puts back what a plan changed, by a plan of its own, and stops the rest of it. The members concerned are left alone
 * afterwards, until an admin asks for a check of them or the rules of the role change: otherwise the next sweep would do
 * the same again.
 */
export async function undoRolePlan(ctx: Context, planId: string): Promise<RolePlanRow> {
  const { plan, community } = await ownPlan(ctx, planId);
  return ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, community.id);
    await refuseInShadow(tx, community.id);
    return undoPlanIn(ctx, tx, plan, community);
  });
}

/** The same, in a transaction that holds the community. */
export async function undoPlanIn(
  ctx: Context,
  tx: Tx,
  plan: RolePlanRow,
  community: CommunityRow,
): Promise<RolePlanRow> {
  const isMoved = await movePlan(tx, plan.id, ['approved', 'applying', 'done', 'failed'], {
    status: 'undone',
    finished_at: ctx.clock(),
  });
  if (!isMoved)
    throw new AppError('STATE_CONFLICT', `Only a plan that was written can be undone; this one is ${plan.status}.`);
  await dropWaiting(tx, plan.id);
  const written = await selectWritten(tx, plan.id);
  const changes = written.map(
    ({ user_id, role_id, action }): RoleChange => ({
      userId: user_id,
      roleId: role_id,
      action: action === 'grant' ? 'revoke' : 'grant',
      reason: { undoes: plan.id },
      blocks: {},
    }),
  );
  await pausePairs(tx, community.id, plan.id, changes, ctx.clock());
  const undo = await putPlan(
    ctx,
    tx,
    { community, cause: ownCauses.undo, changes, unknowns: 0, isUrgent: true },
    'approved',
    { undoes: plan.id, decided_by: principalId(ctx.actor), decided_at: ctx.clock() },
  );
  await wakeWriter(tx, community.id);
  return undo;
}
