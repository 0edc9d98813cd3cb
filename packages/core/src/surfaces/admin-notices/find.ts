import { enqueue, type Tx } from '@latchkey/db';
import { addSeconds } from '@latchkey/kernel';
import { gatingSettings } from '../../gating/evaluation/index.ts';
import { emit, hasListeners } from '../../services/webhooks/index.ts';
import type { Context } from '../../shared/context.ts';
import {
  type Found,
  noteFreed,
  type Over,
  selectBlockedRoles,
  selectDecided,
  selectFreed,
  selectHeldChangeSets,
  selectLargeChanges,
  selectLeft,
} from './find-queries.ts';
import { notifyNotice } from './notify-job.ts';
import { closeNotice, insertNotice, wasNotifiedSince } from './queries.ts';

type FindContext = Pick<Context, 'clock' | 'db' | 'random' | 'settings'>;

const atOnce = 200;
const daySeconds = 24 * 60 * 60;
/** A role may be tried and refused again: only one that stays unblocked this long is announced. */
const freeSeconds = 10 * 60;
/** A large check makes several large change sets. The first one is announced; those of the next minutes are in the list. */
const quietSeconds = 10 * 60;

/** Finds new problems and resolved ones that admins were not notified of. */
export async function findNews(ctx: FindContext): Promise<void> {
  const { system } = ctx.db;
  const ago = (seconds: number) => addSeconds(ctx.clock(), -seconds);
  const { heldRemovalCount: members, heldRemovalShare: share } = gatingSettings(ctx);
  await noteFreed(system, ctx.clock());
  const found = [
    ...(await selectHeldChangeSets(system, atOnce)),
    ...(await selectBlockedRoles(system, atOnce)),
    ...(await selectLeft(system, ago(daySeconds), atOnce)),
    ...(await selectLargeChanges(system, { since: ago(daySeconds), members, share }, atOnce)),
  ];
  for (const one of found) await noteOne(ctx, one);
  const over = [...(await selectDecided(system, atOnce)), ...(await selectFreed(system, ago(freeSeconds), atOnce))];
  for (const one of over) await closeOne(ctx, one);
}

/** Records one finding, queues its notice and notifies the owner's applications, in one transaction. */
export async function noteOne(ctx: FindContext, found: Found): Promise<void> {
  const { community_id, kind, about, details } = found;
  const now = ctx.clock();
  const quietSince = addSeconds(now, -quietSeconds);
  await ctx.db.transaction('system', async (tx) => {
    const isQuiet = kind === 'large-change' && (await wasNotifiedSince(tx, community_id, kind, quietSince));
    const notice = { id: ctx.random.id(), community_id, kind, about, details, noted_at: now };
    if (!(await insertNotice(tx, notice, isQuiet))) return;
    await emitFound(ctx, tx, found);
    if (!isQuiet) await enqueueNotice(tx, notice.id, community_id);
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

/** Tells the applications of the community's owner what was found. Of a held change set the change set itself tells, when it is made. */
async function emitFound(ctx: EventContext, tx: Tx, found: Found): Promise<void> {
  const { community_id: communityId, owner_id: ownerId, about, details, grants, revokes } = found;
  const { advice, problems = [about] } = details;
  if (found.kind === 'blocked-role' && (await hasListeners(tx, ownerId, 'role.blocked')))
    await emit(ctx, tx, 'role.blocked', { ownerId, payload: { communityId, roleId: about, advice } });
  if (found.kind === 'broken-setup' && (await hasListeners(tx, ownerId, 'community.setup-broken')))
    await emit(ctx, tx, 'community.setup-broken', { ownerId, payload: { communityId, problems } });
  if (found.kind === 'large-change' && (await hasListeners(tx, ownerId, 'change-set.large')))
    await emit(ctx, tx, 'change-set.large', { ownerId, payload: { communityId, changeSetId: about, grants, revokes } });
}

/** Notifies them that it is over. An undo has its own change set, whose changes are notified. */
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
