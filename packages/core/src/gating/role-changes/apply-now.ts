import type { CommunityRow } from '../../communities/community/index.ts';
import { selectMembers } from '../../communities/members/index.ts';
import { touch } from '../../communities/reconcile-queue/index.ts';
import type { Context } from '../../shared/context.ts';
import { makePlans } from './make-plan.ts';
import { resumeMembers, selectPaused } from './pause-queries.ts';
import { dropItems, lockCommunity } from './plan-queries.ts';
import { lookNow } from './preview.ts';
import type { RolePlanRow } from './tables.ts';
import { writePlanNow } from './write-community.ts';

/**
 * Checks one member and writes what must change, for somebody who waits for it. Answers the member's roles afterwards,
 * or undefined for somebody who is not in the community.
 */
export async function applyNow(
  ctx: Context,
  community: CommunityRow,
  userId: string,
  { liftPauses }: { liftPauses: boolean },
): Promise<readonly string[] | undefined> {
  const { members, outdated } = await lookNow(ctx, community, [userId], { liftPauses });
  const changes = members.flatMap((member) => member.changes);
  const asked = new Set(liftPauses ? [userId] : []);
  const isPaused = liftPauses && (await selectPaused(ctx.db.system, community.id, [userId])).size > 0;
  // Most looks find everything in order: those wait for nobody who writes in the same community.
  if (isPaused || changes.length > 0 || outdated.length > 0) {
    const plans = await ctx.db.transaction('system', async (tx) => {
      await lockCommunity(tx, community.id);
      const dropped = await dropItems(tx, outdated);
      // What was being written meanwhile, against this decision, is looked at again.
      if (dropped.length < outdated.length)
        await touch(tx, { communityId: community.id, members: [userId], cause: liftPauses ? 'asked' : 'schedule' });
      if (isPaused) await resumeMembers(tx, community.id, [userId]);
      const plan = { community, cause: 'asked', changes, looked: [userId], unknowns: 0, isUrgent: true, asked };
      return makePlans(ctx, tx, plan);
    });
    await writeApproved(ctx, community, plans);
  }
  const [row] = await selectMembers(ctx.db.system, community.id, [userId]);
  return row === undefined || row.left_at !== null ? undefined : row.role_ids;
}

async function writeApproved(ctx: Context, community: CommunityRow, plans: readonly RolePlanRow[]): Promise<void> {
  const host = ctx.hosts[community.platform];
  for (const { id, status } of plans)
    if (host !== undefined && status === 'approved') await writePlanNow(ctx, community, host, id);
}
