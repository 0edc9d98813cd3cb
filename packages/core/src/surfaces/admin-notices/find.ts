import { enqueue, type Tx } from '@latchkey/db';
import { addSeconds } from '@latchkey/kernel';
import { gatingSettings } from '../../gating/evaluation/index.ts';
import { markNotice } from '../../gating/role-changes/index.ts';
import { appendEvents } from '../../services/event-log/index.ts';
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
  selectGrown,
  selectHeldChangeSets,
  selectLeft,
  selectNewDoors,
  selectNewWays,
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
    ...(await selectGrown(system, atOnce)),
    ...(await selectBlockedRoles(system, atOnce)),
    ...(await selectLeft(system, ago(daySeconds), atOnce)),
    ...(await selectBrokenRules(system, ago(lastingSeconds), atOnce)),
    ...(await selectChangedByHand(system, ago(daySeconds), atOnce)),
    ...(await selectNewDoors(system, atOnce)),
    ...(await selectNewWays(system, atOnce)),
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
    const community = { id: community_id, owner_id };
    await appendEvents(ctx, tx, 'change-set.large', [{ community, data: { changeSetId: about, grants, revokes } }]);
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

/** Reports a finding to programs. A held change set was already reported when it was created. */
async function emitFound(ctx: EventContext, tx: Tx, found: Found): Promise<void> {
  const { community_id: id, owner_id, about, details } = found;
  const community = { id, owner_id };
  const { advice, problems = [about] } = details;
  if (found.kind === 'blocked-role')
    await appendEvents(ctx, tx, 'role.blocked', [{ community, data: { roleId: about, advice } }]);
  if (found.kind === 'broken-setup')
    await appendEvents(ctx, tx, 'community.setup-broken', [{ community, data: { problems: [...problems] } }]);
}

/** Reports that it is resolved. An undo has its own change set, whose changes are reported. */
async function emitOver(ctx: EventContext, tx: Tx, over: Over): Promise<void> {
  const { community_id: id, owner_id, about, details, status, decided_by: decidedBy } = over;
  const community = { id, owner_id };
  const { problems = [about] } = details;
  if (over.kind === 'held-change-set')
    await appendEvents(ctx, tx, 'change-set.decided', [{ community, data: { changeSetId: about, status, decidedBy } }]);
  if (over.kind === 'blocked-role')
    await appendEvents(ctx, tx, 'role.unblocked', [{ community, data: { roleId: about } }]);
  if (over.kind === 'broken-setup')
    await appendEvents(ctx, tx, 'community.setup-fixed', [{ community, data: { problems: [...problems] } }]);
}
