import { enqueue } from '@latchkey/db';
import { type CommunityRow, selectCommunity } from '../../communities/community/index.ts';
import type { RoleHost } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { selectShadowOn } from './shadow/queries.ts';
import { wakeLater, writeCommunity } from './wake.ts';
import { type WriteContext, writeRoles } from './write.ts';
import { finishChangeSets, nextDue } from './write-queries.ts';

/** One run writes for so long and then lets other communities have a turn. */
const turnSeconds = 45;

/** Writes the waiting changes of a community, as long as its turn lasts, and sees to it that the rest is written later. */
export async function writeWaiting(
  ctx: WriteContext & Pick<Context, 'hosts'>,
  communityId: string,
  signal: AbortSignal,
): Promise<void> {
  const community = await selectCommunity(ctx.db.system, communityId);
  const host = community && ctx.hosts[community.platform];
  if (community?.status !== 'active' || host === undefined) return;
  const shadow = await selectShadowOn(ctx.db.system, community.id);
  // Beside another bot only what puts a take-over back is written.
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

/** Writes the changes of one change set at once, for somebody who waits for them. */
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
