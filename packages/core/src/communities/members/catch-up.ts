import type { Context } from '../../shared/context.ts';
import { selectCommunity } from '../community-records/index.ts';
import { selectMemberList } from '../memberships/index.ts';
import { enqueueReconcile } from '../reconcile-queue/index.ts';

/** A connection that keeps breaking must not cause the members to be listed each time. */
const betweenListsMs = 10 * 60 * 1000;
/** A platform reports thousands of communities at once, so the checks are spread over this time. */
const spreadMs = 60 * 1000;

/**
 * Queues a check of every member of a community whose platform may have sent events while no process was listening:
 * joins and leaves in that time are in no event. Skips communities that are paused or not checked in the background.
 */
export async function catchUp(ctx: Pick<Context, 'clock' | 'db' | 'random'>, communityId: string): Promise<void> {
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community?.status !== 'active' || community.disable_background_checks) return;
  const list = await selectMemberList(ctx.db.system, communityId);
  // A community that was never listed is about to be.
  if (list === undefined) return;
  const [byte = 0] = ctx.random.bytes(1);
  const earliest = Math.max(ctx.clock().getTime(), list.listed_at.getTime() + betweenListsMs);
  const dueAt = new Date(earliest + (byte / 256) * spreadMs);
  await enqueueReconcile(ctx.db.system, { communityId, members: '*', cause: 'schedule', dueAt });
}
