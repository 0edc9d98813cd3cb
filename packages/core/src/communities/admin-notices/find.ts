import { enqueue, type Tx } from '@latchkey/db';
import type { Context } from '../../context.ts';
import { gatingSettings } from '../../gating/judging/index.ts';
import { emitFound, emitOver } from './emit-events.ts';
import {
  type Found,
  noteFreed,
  type Over,
  selectBlockedRoles,
  selectDecided,
  selectFreed,
  selectHeldPlans,
  selectLargeChanges,
  selectLeft,
} from './find-queries.ts';
import { closeNotice, insertNotice, wasToldSince } from './queries.ts';
import { tellNotice } from './tell-job.ts';

type FindContext = Pick<Context, 'clock' | 'db' | 'random' | 'settings'>;

const atOnce = 200;
const daySeconds = 24 * 60 * 60;
/** A role may be tried and refused again: only what stays free for so long is told. */
const freeSeconds = 10 * 60;
/** A large check makes several large plans. The first one is told; those of the next minutes are found in the list. */
const quietSeconds = 10 * 60;

/** Finds what happened and nobody was told of, and what is over and nobody was told of either. */
export async function findNews(ctx: FindContext): Promise<void> {
  const { system } = ctx.db;
  const ago = (seconds: number) => new Date(ctx.clock().getTime() - seconds * 1000);
  const { heldRemovalCount: members, heldRemovalShare: share } = gatingSettings(ctx);
  await noteFreed(system, ctx.clock());
  const found = [
    ...(await selectHeldPlans(system, atOnce)),
    ...(await selectBlockedRoles(system, atOnce)),
    ...(await selectLeft(system, ago(daySeconds), atOnce)),
    ...(await selectLargeChanges(system, { since: ago(daySeconds), members, share }, atOnce)),
  ];
  for (const one of found) await noteOne(ctx, one);
  const over = [...(await selectDecided(system, atOnce)), ...(await selectFreed(system, ago(freeSeconds), atOnce))];
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
  return enqueue(tx, tellNotice, { noticeId }, { uniqueKey: noticeId, group: communityId });
}
