import { AppError, principalId } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { ownPlan } from './own-plan.ts';
import { pausePairs } from './pause-queries.ts';
import { dropWaiting, lockCommunity, movePlan, releaseItems, selectUnwritten } from './plan-queries.ts';
import { refuseInShadow } from './shadow/guard.ts';
import type { RolePlanRow, RolePlanStatus } from './tables.ts';
import { tellAdminsSoon } from './tell-admins.ts';
import { wakeWriter } from './wake.ts';

const undecided: readonly RolePlanStatus[] = ['previewed', 'held'];

/** Lets a plan that was looked at, or held, be written. */
export async function approveRolePlan(ctx: Context, planId: string): Promise<void> {
  const { plan, community } = await ownPlan(ctx, planId);
  await ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, community.id);
    await refuseInShadow(tx, community.id);
    if (!(await movePlan(tx, plan.id, undecided, { status: 'approved', ...decision(ctx) }))) throw decided(plan);
    await releaseItems(tx, plan.id);
    await wakeWriter(tx, community.id);
    await tellAdminsSoon(tx);
  });
}

/**
 * Gives a plan up: one that waits for an admin, or the rest of one that failed. What it would have changed stays as it is,
 * until an admin asks for a check or the rules change.
 */
export async function rejectRolePlan(ctx: Context, planId: string): Promise<void> {
  const { plan, community } = await ownPlan(ctx, planId);
  await ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, community.id);
    const changes = { status: 'rejected' as const, finished_at: ctx.clock(), ...decision(ctx) };
    if (!(await movePlan(tx, plan.id, [...undecided, 'failed'], changes))) throw decided(plan);
    if (plan.status !== 'previewed') {
      const pairs = await selectUnwritten(tx, plan.id);
      await pausePairs(tx, community.id, plan.id, pairs, ctx.clock());
    }
    await dropWaiting(tx, plan.id);
    await tellAdminsSoon(tx);
  });
}

function decision(ctx: Context): Pick<RolePlanRow, 'decided_by' | 'decided_at'> {
  return { decided_by: principalId(ctx.actor), decided_at: ctx.clock() };
}

function decided({ status }: RolePlanRow): AppError {
  return new AppError('STATE_CONFLICT', `Only a plan that waits can be decided on; this one is ${status}.`);
}
