import { type Enqueueable, enqueue, type Sql, type Tx } from '@latchkey/db';
import { shape, T } from '@latchkey/kernel';
import { type CommunityRow, selectCommunity } from '../../../communities/community-records/index.ts';
import { selectMembers } from '../../../communities/memberships/index.ts';
import { enqueueReconcile } from '../../../communities/reconcile-queue/index.ts';
import type { RoleHost } from '../../../ports/index.ts';
import { communityIdField } from '../../../shared/community-id.ts';
import type { Context } from '../../../shared/context.ts';
import { dropItems, lockCommunity } from '../planning/change-set-queries.ts';
import { makeChangeSets } from '../planning/make-change-set.ts';
import { reconcileNow } from '../planning/preview.ts';
import { resumeMembers, selectSuppressed } from '../planning/suppression-queries.ts';
import { selectShadowOn } from '../shadow/queries.ts';
import type { ChangeSetRow } from '../tables.ts';
import { makeDue } from './waiting-queries.ts';
import { type WriteContext, writeRoles } from './write.ts';
import { finishChangeSets, nextDue } from './write-queries.ts';

/** How long one run writes before other communities get a turn. */
const turnSeconds = 45;

/** Writes the pending changes of a community until its turn is over, and schedules the rest for later. */
export async function writeWaiting(
  ctx: WriteContext & Pick<Context, 'hosts'>,
  communityId: string,
  signal: AbortSignal,
): Promise<void> {
  const community = await selectCommunity(ctx.db.system, communityId);
  const host = community && ctx.hosts[community.platform];
  if (community?.status !== 'active' || host === undefined) return;
  const shadow = await selectShadowOn(ctx.db.system, community.id);
  // In shadow mode only the undo of a takeover is written.
  if (shadow?.undo_change_set_id === null) return;
  const result = await writeRoles(ctx, {
    community,
    host,
    changeSetId: shadow?.undo_change_set_id,
    kind: 'worker',
    claimedBy: `worker:${ctx.random.id()}`,
    signal,
    until: new Date(ctx.clock().getTime() + turnSeconds * 1000),
  });
  await ctx.db.transaction('system', (tx) => finishChangeSets(tx, community.id, ctx.clock()));
  if (result === 'more')
    await enqueue(ctx.db.system, writeCommunity, { communityId }, { uniqueKey: communityId, group: communityId });
  else await wakeForRetries(ctx, community.id);
}

async function wakeForRetries(ctx: WriteContext, communityId: string): Promise<void> {
  const dueAt = await nextDue(ctx.db.system, communityId);
  if (dueAt === undefined) return;
  const waitSeconds = Math.max(1, Math.ceil((dueAt.getTime() - ctx.clock().getTime()) / 1000));
  await wakeLater(ctx.db.system, communityId, waitSeconds);
}

/** Writes the changes of one change set immediately, for a caller who is waiting. */
export async function writeChangeSetNow(
  ctx: WriteContext,
  community: CommunityRow,
  host: RoleHost,
  changeSetId: string,
  { isReserved = false } = {},
): Promise<void> {
  if ((await selectShadowOn(ctx.db.system, community.id)) !== undefined) return;
  await writeRoles(ctx, {
    community,
    host,
    kind: 'now',
    claimedBy: `now:${ctx.random.id()}`,
    signal: new AbortController().signal,
    until: new Date(ctx.clock().getTime() + turnSeconds * 1000),
    changeSetId,
    isReserved,
  });
  await ctx.db.transaction('system', (tx) => finishChangeSets(tx, community.id, ctx.clock()));
}

const OfCommunity = shape(T.Object({ communityId: communityIdField() }));

/** Writes the pending changes of a community. */
export const writeCommunity: Enqueueable<{ communityId: string }> = { name: 'gating.write', payload: OfCommunity };

/** Checks later whether anything is due in a community. */
export const wakeCommunity: Enqueueable<{ communityId: string }> = { name: 'gating.wake', payload: OfCommunity };

/** Continues a takeover from shadow mode. */
export const takeOverCommunity: Enqueueable<{ communityId: string }> = {
  name: 'gating.take-over',
  payload: OfCommunity,
};

export async function wakeTakeOver(tx: Sql, communityId: string): Promise<void> {
  await enqueue(tx, takeOverCommunity, { communityId }, { uniqueKey: communityId, group: communityId });
}

/** Enqueues the writer for a community; it starts once this transaction is committed. */
export async function wakeWriter(tx: Sql, communityId: string): Promise<void> {
  await enqueue(tx, writeCommunity, { communityId }, { uniqueKey: communityId, group: communityId });
}

/** Writes the pending changes of these members now: what they were waiting for has happened. */
export async function resumeWaiting(tx: Tx, communityId: string, userIds: readonly string[], now: Date): Promise<void> {
  await lockCommunity(tx, communityId);
  await makeDue(tx, communityId, userIds, now);
  await wakeWriter(tx, communityId);
}

/** Schedules another wake-up. Wake-ups at nearly the same time are merged. */
export async function wakeLater(tx: Sql, communityId: string, delaySeconds: number): Promise<void> {
  const uniqueKey = `${communityId}/${Math.ceil(Math.log2(Math.max(1, delaySeconds)))}`;
  await enqueue(tx, wakeCommunity, { communityId }, { delaySeconds, uniqueKey });
}

/**
 * Checks one member and writes the changes, for a caller who is waiting. Returns the member's roles afterwards, or
 * undefined if they are not in the community.
 */
export async function applyNow(
  ctx: Context,
  community: CommunityRow,
  userId: string,
  { liftSuppressions }: { liftSuppressions: boolean },
): Promise<readonly string[] | undefined> {
  const { members, outdated } = await reconcileNow(ctx, community, [userId], { liftSuppressions });
  const changes = members.flatMap((member) => member.changes);
  const requested = new Set(liftSuppressions ? [userId] : []);
  const isSuppressed = liftSuppressions && (await selectSuppressed(ctx.db.system, community.id, [userId])).size > 0;
  // Most checks find nothing to change; those do not wait for the community lock.
  if (isSuppressed || changes.length > 0 || outdated.length > 0) {
    const changeSets = await ctx.db.transaction('system', async (tx) => {
      await lockCommunity(tx, community.id);
      // In shadow mode only the undo of a takeover is open, which an admin decided against the rules.
      const unwanted = (await selectShadowOn(tx, community.id)) === undefined ? outdated : [];
      const dropped = await dropItems(tx, community.id, unwanted);
      // An item that was already being written against this decision is checked again.
      if (dropped.length < unwanted.length)
        await enqueueReconcile(tx, {
          communityId: community.id,
          members: [userId],
          cause: liftSuppressions ? 'requested' : 'schedule',
        });
      if (isSuppressed) await resumeMembers(tx, community.id, [userId]);
      const changeSet = {
        community,
        cause: 'requested',
        changes,
        reconciled: [userId],
        unknowns: 0,
        isUrgent: true,
        requested,
      };
      return makeChangeSets(ctx, tx, changeSet);
    });
    await writeApproved(ctx, community, changeSets);
  }
  const [row] = await selectMembers(ctx.db.system, community.id, [userId]);
  return row === undefined || row.left_at !== null ? undefined : row.role_ids;
}

async function writeApproved(
  ctx: Context,
  community: CommunityRow,
  changeSets: readonly ChangeSetRow[],
): Promise<void> {
  const host = ctx.hosts[community.platform];
  for (const { id, status } of changeSets)
    if (host !== undefined && status === 'approved') await writeChangeSetNow(ctx, community, host, id);
}
