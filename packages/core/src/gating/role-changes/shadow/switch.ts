import { AppError, principalId } from '@latchkey/kernel';
import { ownCommunity } from '../../../communities/access/index.ts';
import { enqueueReconcile } from '../../../communities/reconcile-queue/index.ts';
import type { Context } from '../../../shared/context.ts';
import { wakeTakeOver, wakeWriter } from '../applying/write-community.ts';
import { lockCommunity, selectChangeSet } from '../planning/change-set-queries.ts';
import { putChangeSet } from '../planning/make-change-set.ts';
import { cannotReconcile } from '../planning/open-scope.ts';
import { resumeRoles } from '../planning/suppression-queries.ts';
import { undoChangeSetIn } from '../review/undo.ts';
import { giveUpWaiting, notAsked, putShadow, selectShadow, selectShadowOn } from './queries.ts';
import type { ShadowMode } from './reads.ts';
import { getShadowMode } from './reads.ts';

interface InCommunity {
  communityId: string;
}

/** Turns shadow mode on: no roles are written, and the changes that the rules would make are recorded by day. */
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
      undo_change_set_id: null,
      ...notAsked,
    });
    await enqueueReconcile(tx, { communityId: community.id, members: '*', cause: 'requested' });
  });
  return getShadowMode(ctx, { communityId: community.id });
}

/**
 * Starts a job that checks every member and writes all differences as one change set, which can be undone as one.
 * Calling it again in the meantime resumes the job.
 */
export async function takeOverFromShadow(ctx: Context, { communityId }: InCommunity): Promise<ShadowMode> {
  const community = await ownCommunity(ctx, communityId);
  await ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, community.id);
    const shadow = await selectShadowOn(tx, community.id);
    if (shadow === undefined) throw notOn();
    if (community.status !== 'active' || ctx.hosts[community.platform] === undefined)
      throw cannotReconcile(ctx, community);
    if (shadow.take_over_requested_at === null) {
      const now = ctx.clock();
      const changeSet = { community, cause: 'take-over', changes: [], unknowns: 0, isUrgent: false };
      const decision = { decided_by: principalId(ctx.actor), decided_at: now };
      const { id } = await putChangeSet(ctx, tx, changeSet, 'previewed', decision);
      await putShadow(tx, { ...shadow, ...notAsked, take_over_requested_at: now, take_over_change_set_id: id });
    }
    await wakeTakeOver(tx, community.id);
  });
  return getShadowMode(ctx, { communityId: community.id });
}

/**
 * Undoes the takeover and turns shadow mode on again. A takeover in progress is canceled. The undo follows the approval policy, as any
 * other does: if it is held, shadow mode is on all the same, and the roles are restored once it is approved.
 */
export async function returnToShadow(ctx: Context, { communityId }: InCommunity): Promise<ShadowMode> {
  const community = await ownCommunity(ctx, communityId);
  await ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, community.id);
    const shadow = await selectShadow(tx, community.id);
    if (shadow === undefined || (shadow.taken_over_at === null && shadow.take_over_requested_at === null))
      throw new AppError('STATE_CONFLICT', 'This community has no takeover to undo.');
    // This also rejects a takeover of which nothing was written yet, so there is nothing to undo; nor is there if an
    // admin undid its change set.
    await giveUpWaiting(tx, community.id, ctx.clock());
    const changeSetId = shadow.take_over_change_set_id;
    const changeSet = changeSetId === null ? undefined : await selectChangeSet(tx, changeSetId);
    const isWritten = changeSet !== undefined && changeSet.status !== 'undone' && changeSet.status !== 'rejected';
    const undo = isWritten
      ? await undoChangeSetIn(ctx, tx, changeSet, community, { presence: 'signed-in' })
      : undefined;
    // Nothing is written in shadow mode, so nothing needs to be suppressed, and every difference should be visible.
    await resumeRoles(tx, community.id, undefined);
    const on = { started_at: ctx.clock(), taken_over_at: null, ...notAsked };
    await putShadow(tx, { ...shadow, ...on, undo_change_set_id: undo?.id ?? null });
    await wakeWriter(tx, community.id);
    await enqueueReconcile(tx, { communityId: community.id, members: '*', cause: 'schedule' });
  });
  return getShadowMode(ctx, { communityId: community.id });
}

function notOn(): AppError {
  return new AppError('STATE_CONFLICT', 'The community is not in shadow mode.');
}
