import { enqueue, type Tx } from '@latchkey/db';
import { addSeconds } from '@latchkey/kernel';
import { gatingSettings } from '../../gating/evaluation/index.ts';
import { markNotice } from '../../gating/role-changes/index.ts';
import { emit, hasListeners } from '../../services/webhooks/index.ts';
import type { Context } from '../../shared/context.ts';
import {
  type Found,
  noteFreed,
  type Over,
  selectBlockedRoles,
  selectBrokenRules,
  selectChangedByHand,
  selectDecided,
  selectFreed,
  selectHeldChangeSets,
  selectLeft,
  selectNewDoors,
  selectUnannounced,
  type Unannounced,
} from './find-queries.ts';
import { notifyNotice } from './notify-job.ts';
import { closeNotice, finishNotice, insertNotice } from './queries.ts';

type FindContext = Pick<Context, 'clock' | 'db' | 'random' | 'settings'>;

const atOnce = 200;
const daySeconds = 24 * 60 * 60;
/**
 * A role may be retried and refused again, and a node may go up and down: only states that last this long are
 * announced.
 */
const lastingSeconds = 10 * 60;

/** Finds new and resolved problems that admins have not been notified of. */
export async function findNews(ctx: FindContext): Promise<void> {
  const { system } = ctx.db;
  const ago = (seconds: number) => addSeconds(ctx.clock(), -seconds);
  const { heldRemovalCount: members, heldRemovalShare: share } = gatingSettings(ctx);
  await noteFreed(system, ctx.clock());
  const found = [
    ...(await selectHeldChangeSets(system, atOnce)),
    ...(await selectBlockedRoles(system, atOnce)),
    ...(await selectLeft(system, ago(daySeconds), atOnce)),
    ...(await selectBrokenRules(system, ago(lastingSeconds), atOnce)),
    ...(await selectChangedByHand(system, ago(daySeconds), atOnce)),
    ...(await selectNewDoors(system, atOnce)),
  ];
  for (const one of found) await noteOne(ctx, one);
  for (const one of await selectUnannounced(system, { members, share }, atOnce)) await announceOne(ctx, one);
  const freed = { goneBefore: ago(lastingSeconds), changedSince: ago(daySeconds) };
  const over = [...(await selectDecided(system, atOnce)), ...(await selectFreed(system, freed, atOnce))];
  for (const one of over) await closeOne(ctx, one);
}

/** Records one finding, queues its notice and notifies the owner's applications, in one transaction. */
export async function noteOne(ctx: FindContext, found: Found): Promise<void> {
  await ctx.db.transaction('system', async (tx) => {
    if (await noteIn(ctx, tx, found)) await emitFound(ctx, tx, found);
  });
}

/** Returns false if it was already recorded. */
async function noteIn(ctx: FindContext, tx: Tx, { community_id, kind, about, details }: Found): Promise<boolean> {
  const notice = { id: ctx.random.id(), community_id, kind, about, details, noted_at: ctx.clock() };
  if (!(await insertNotice(tx, notice))) return false;
  await enqueueNotice(tx, notice.id, community_id);
  return true;
}

/**
 * Processes one change set whose notice is pending. Admins are notified of a large one while it is being written, so
 * that they can still stop it; once it has ended, the message gets its final numbers and the owner's applications are
 * notified, once. The progress is stored in the same transaction, so that a crash neither loses nor repeats a notice.
 */
export async function announceOne(ctx: FindContext, one: Unannounced): Promise<void> {
  const { community_id, owner_id, id: about, written_grants: grants, written_revokes: revokes } = one;
  const isReported = one.large_notice === 'open';
  const to = !one.is_ended ? 'open' : isReported || one.is_large ? 'final' : 'none';
  await ctx.db.transaction('system', async (tx) => {
    if (!(await markNotice(tx, about, one.large_notice, to)) || to === 'none') return;
    const details = to === 'final' ? { written: { grants, revokes } } : {};
    if (!isReported) await noteIn(ctx, tx, { community_id, owner_id, kind: 'large-change', about, details });
    if (to === 'open') return;
    if (isReported) {
      const noticeId = await finishNotice(tx, community_id, about, details, ctx.clock());
      if (noticeId !== undefined) await enqueueNotice(tx, noticeId, community_id);
    }
    if (await hasListeners(tx, owner_id, 'change-set.large')) {
      const payload = { communityId: community_id, changeSetId: about, grants, revokes };
      await emit(ctx, tx, 'change-set.large', { ownerId: owner_id, payload });
    }
  });
}

export async function closeOne(ctx: FindContext, over: Over): Promise<void> {
  await ctx.db.transaction('system', async (tx) => {
    if (!(await closeNotice(tx, over.id, ctx.clock()))) return;
    await emitOver(ctx, tx, over);
    await enqueueNotice(tx, over.id, over.community_id);
  });
}

function enqueueNotice(tx: Tx, noticeId: string, communityId: string) {
  return enqueue(tx, notifyNotice, { noticeId }, { uniqueKey: noticeId, group: communityId });
}

type EventContext = Pick<Context, 'clock' | 'random'>;

/**
 * Notifies the applications of the community's owner of a finding. A held change set was already announced when it was
 * created.
 */
async function emitFound(ctx: EventContext, tx: Tx, found: Found): Promise<void> {
  const { community_id: communityId, owner_id: ownerId, about, details } = found;
  const { advice, problems = [about] } = details;
  if (found.kind === 'blocked-role' && (await hasListeners(tx, ownerId, 'role.blocked')))
    await emit(ctx, tx, 'role.blocked', { ownerId, payload: { communityId, roleId: about, advice } });
  if (found.kind === 'broken-setup' && (await hasListeners(tx, ownerId, 'community.setup-broken')))
    await emit(ctx, tx, 'community.setup-broken', { ownerId, payload: { communityId, problems } });
}

/** Notifies them that it is resolved. An undo has its own change set, whose changes are announced. */
async function emitOver(ctx: EventContext, tx: Tx, over: Over): Promise<void> {
  const { community_id: communityId, owner_id: ownerId, about, details, status, decided_by: decidedBy } = over;
  const { problems = [about] } = details;
  if (over.kind === 'held-change-set' && (await hasListeners(tx, ownerId, 'change-set.decided')))
    await emit(ctx, tx, 'change-set.decided', {
      ownerId,
      payload: { communityId, changeSetId: about, status, decidedBy },
    });
  if (over.kind === 'blocked-role' && (await hasListeners(tx, ownerId, 'role.unblocked')))
    await emit(ctx, tx, 'role.unblocked', { ownerId, payload: { communityId, roleId: about } });
  if (over.kind === 'broken-setup' && (await hasListeners(tx, ownerId, 'community.setup-fixed')))
    await emit(ctx, tx, 'community.setup-fixed', { ownerId, payload: { communityId, problems } });
}
