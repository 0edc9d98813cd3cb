import { AppError, principalId } from '@latchkey/kernel';
import type { Context } from '../../../context.ts';
import { touch } from '../../touches/index.ts';
import { putPlan } from '../make-plan.ts';
import { ownCommunity } from '../own-plan.ts';
import { resumeRoles } from '../pause-queries.ts';
import { lockCommunity, selectPlan } from '../plan-queries.ts';
import { lookNow } from '../preview.ts';
import { undoPlanIn } from '../undo.ts';
import { wakeWriter } from '../wake.ts';
import { giveUpWaiting, putShadow, selectShadow, selectShadowOn } from './queries.ts';
import { getShadowMode } from './reads.ts';
import type { ShadowMode } from './shapes.ts';

interface InCommunity {
  communityId: string;
}

/** From now on nothing is written here, and what the rules would change is kept for the admins, day by day. */
export async function startShadowMode(ctx: Context, { communityId }: InCommunity): Promise<ShadowMode> {
  const community = await ownCommunity(ctx, communityId);
  await ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, community.id);
    if ((await selectShadowOn(tx, community.id)) !== undefined) return;
    await giveUpWaiting(tx, community.id, ctx.clock());
    await putShadow(tx, {
      community_id: community.id,
      started_at: ctx.clock(),
      taken_over_at: null,
      take_over_plan_id: null,
      undo_plan_id: null,
    });
    await touch(tx, { communityId: community.id, members: '*', cause: 'asked' });
  });
  return getShadowMode(ctx, { communityId: community.id });
}

/** Checks everybody and writes all differences as one plan, which can be undone as one. */
export async function takeOverFromShadow(ctx: Context, { communityId }: InCommunity): Promise<ShadowMode> {
  const community = await ownCommunity(ctx, communityId);
  if ((await selectShadowOn(ctx.db.system, community.id)) === undefined) throw notOn();
  const { members } = await lookNow(ctx, community, '*', { liftPauses: true });
  const changes = members.flatMap((member) => member.changes);
  const unknowns = members.filter(({ verdicts }) => verdicts.some(({ truth }) => truth === 'unknown')).length;
  await ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, community.id);
    const shadow = await selectShadowOn(tx, community.id);
    if (shadow === undefined) throw notOn();
    // A writer that was under way when shadow mode began may have put something back since.
    await giveUpWaiting(tx, community.id, ctx.clock());
    await resumeRoles(tx, community.id, undefined);
    const plan = { community, cause: 'take-over', changes, unknowns, isUrgent: false };
    const decision = { decided_by: principalId(ctx.actor), decided_at: ctx.clock() };
    const made = changes.length === 0 ? undefined : await putPlan(ctx, tx, plan, 'approved', decision);
    const over = { taken_over_at: ctx.clock(), take_over_plan_id: made?.id ?? null, undo_plan_id: null };
    await putShadow(tx, { ...shadow, ...over });
    await wakeWriter(tx, community.id);
  });
  return getShadowMode(ctx, { communityId: community.id });
}

/** Puts back what the take-over changed, and only watches again. */
export async function returnToShadow(ctx: Context, { communityId }: InCommunity): Promise<ShadowMode> {
  const community = await ownCommunity(ctx, communityId);
  await ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, community.id);
    const shadow = await selectShadow(tx, community.id);
    if (shadow?.taken_over_at == null)
      throw new AppError('STATE_CONFLICT', 'There is no take-over to undo in this community.');
    // A take-over of which nothing was written yet is rejected by that, and has nothing to put back; nor has one that an
    // admin undid by itself.
    await giveUpWaiting(tx, community.id, ctx.clock());
    const planId = shadow.take_over_plan_id;
    const plan = planId === null ? undefined : await selectPlan(tx, planId);
    const isWritten = plan !== undefined && plan.status !== 'undone' && plan.status !== 'rejected';
    const undo = isWritten ? await undoPlanIn(ctx, tx, plan, community) : undefined;
    // Nothing is written in shadow mode, so nothing needs to be left alone, and every difference is to be seen.
    await resumeRoles(tx, community.id, undefined);
    const on = { started_at: ctx.clock(), taken_over_at: null, take_over_plan_id: null };
    await putShadow(tx, { ...shadow, ...on, undo_plan_id: undo?.id ?? null });
    await wakeWriter(tx, community.id);
    await touch(tx, { communityId: community.id, members: '*', cause: 'schedule' });
  });
  return getShadowMode(ctx, { communityId: community.id });
}

function notOn(): AppError {
  return new AppError('STATE_CONFLICT', 'The community is not in shadow mode.');
}
