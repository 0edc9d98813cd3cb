import { enqueue, type Tx } from '@latchkey/db';
import { gatingSettings } from '../../gating/evaluation/index.ts';
import { emit, hasListeners } from '../../services/webhooks/index.ts';
import type { Context } from '../../shared/context.ts';
import {
  type Found,
  noteFreed,
  type Over,
  selectBlockedRoles,
  selectBrokenRules,
  selectDecided,
  selectFreed,
  selectHeldChangeSets,
  selectLargeChanges,
  selectLeft,
} from './find-queries.ts';
import { closeNotice, insertNotice, wasToldSince } from './queries.ts';
import { notifyNotice } from './tell-job.ts';

type FindContext = Pick<Context, 'clock' | 'db' | 'random' | 'settings'>;

const atOnce = 200;
const daySeconds = 24 * 60 * 60;
/** A role may be tried and refused again, and a node may go up and down: only what lasts for so long is told. */
const lastingSeconds = 10 * 60;
/** A large check makes several large change sets. The first one is told; those of the next minutes are found in the list. */
const quietSeconds = 10 * 60;

/** Finds what happened and nobody was told of, and what is over and nobody was told of either. */
export async function findNews(ctx: FindContext): Promise<void> {
  const { system } = ctx.db;
  const ago = (seconds: number) => new Date(ctx.clock().getTime() - seconds * 1000);
  const { heldRemovalCount: members, heldRemovalShare: share } = gatingSettings(ctx);
  await noteFreed(system, ctx.clock());
  const found = [
    ...(await selectHeldChangeSets(system, atOnce)),
    ...(await selectBlockedRoles(system, atOnce)),
    ...(await selectLeft(system, ago(daySeconds), atOnce)),
    ...(await selectBrokenRules(system, ago(lastingSeconds), atOnce)),
    ...(await selectLargeChanges(system, { since: ago(daySeconds), members, share }, atOnce)),
  ];
  for (const one of found) await noteOne(ctx, one);
  const over = [...(await selectDecided(system, atOnce)), ...(await selectFreed(system, ago(lastingSeconds), atOnce))];
  for (const one of over) await closeOne(ctx, one);
}

/** Notes one thing, has it told and tells the applications of the community's owner: all of it or nothing. */
export async function noteOne(ctx: FindContext, found: Found): Promise<void> {
  const { community_id, kind, about, details } = found;
  const now = ctx.clock();
  const quietSince = new Date(now.getTime() - quietSeconds * 1000);
  await ctx.db.transaction('system', async (tx) => {
    const isQuiet = kind === 'large-change' && (await wasToldSince(tx, community_id, kind, quietSince));
    const notice = { id: ctx.random.id(), community_id, kind, about, details, noted_at: now };
    if (!(await insertNotice(tx, notice, isQuiet))) return;
    await emitFound(ctx, tx, found);
    if (!isQuiet) await enqueueTelling(tx, notice.id, community_id);
  });
}

export async function closeOne(ctx: FindContext, over: Over): Promise<void> {
  await ctx.db.transaction('system', async (tx) => {
    if (!(await closeNotice(tx, over.id, ctx.clock()))) return;
    await emitOver(ctx, tx, over);
    await enqueueTelling(tx, over.id, over.community_id);
  });
}

function enqueueTelling(tx: Tx, noticeId: string, communityId: string) {
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

/** Tells them that it is over. An undo has its own change set, whose changes are told. */
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
