import { AppError, principalId } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { dropWaiting, lockCommunity, moveChangeSet, releaseItems, selectUnwritten } from './change-set-queries.ts';
import { ownChangeSet } from './own-change-set.ts';
import { refuseInShadow } from './shadow/guard.ts';
import { suppressPairs } from './suppression-queries.ts';
import type { ChangeSetRow, ChangeSetStatus } from './tables.ts';
import { notifyAdminsSoon } from './tell-admins.ts';
import { wakeWriter } from './wake.ts';

const undecided: readonly ChangeSetStatus[] = ['previewed', 'held'];

/** Lets a change set that was looked at, or held, be written. */
export async function approveChangeSet(ctx: Context, changeSetId: string): Promise<void> {
  const { changeSet, community } = await ownChangeSet(ctx, changeSetId);
  await ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, community.id);
    await refuseInShadow(tx, community.id);
    if (!(await moveChangeSet(tx, changeSet.id, undecided, { status: 'approved', ...decision(ctx) })))
      throw decided(changeSet);
    await releaseItems(tx, changeSet.id);
    await wakeWriter(tx, community.id);
    await notifyAdminsSoon(tx);
  });
}

/**
 * Gives a change set up: one that waits for an admin, or the rest of one that failed. What it would have changed stays as it is,
 * until an admin asks for a check or the rules change.
 */
export async function rejectChangeSet(ctx: Context, changeSetId: string): Promise<void> {
  const { changeSet, community } = await ownChangeSet(ctx, changeSetId);
  await ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, community.id);
    const changes = { status: 'rejected' as const, finished_at: ctx.clock(), ...decision(ctx) };
    if (!(await moveChangeSet(tx, changeSet.id, [...undecided, 'failed'], changes))) throw decided(changeSet);
    if (changeSet.status !== 'previewed') {
      const pairs = await selectUnwritten(tx, changeSet.id);
      await suppressPairs(tx, community.id, changeSet.id, pairs, ctx.clock());
    }
    await dropWaiting(tx, changeSet.id);
    await notifyAdminsSoon(tx);
  });
}

function decision(ctx: Context): Pick<ChangeSetRow, 'decided_by' | 'decided_at'> {
  return { decided_by: principalId(ctx.actor), decided_at: ctx.clock() };
}

function decided({ status }: ChangeSetRow): AppError {
  return new AppError('STATE_CONFLICT', `Only a change set that waits can be decided on; this one is ${status}.`);
}
