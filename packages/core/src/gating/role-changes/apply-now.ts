import type { CommunityRow } from '../../communities/community/index.ts';
import { selectMembers } from '../../communities/memberships/index.ts';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import type { Context } from '../../shared/context.ts';
import { dropItems, lockCommunity } from './change-set-queries.ts';
import { makeChangeSets } from './make-change-set.ts';
import { reconcileNow } from './preview.ts';
import { resumeMembers, selectSuppressed } from './suppression-queries.ts';
import type { ChangeSetRow } from './tables.ts';
import { writeChangeSetNow } from './write-community.ts';

/**
 * Checks one member and writes what must change, for somebody who waits for it. Answers the member's roles afterwards,
 * or undefined for somebody who is not in the community.
 */
export async function applyNow(
  ctx: Context,
  community: CommunityRow,
  userId: string,
  { liftSuppressions }: { liftSuppressions: boolean },
): Promise<readonly string[] | undefined> {
  const { members, outdated } = await reconcileNow(ctx, community, [userId], { liftSuppressions });
  const changes = members.flatMap((member) => member.changes);
  const asked = new Set(liftSuppressions ? [userId] : []);
  const isSuppressed = liftSuppressions && (await selectSuppressed(ctx.db.system, community.id, [userId])).size > 0;
  // Most looks find everything in order: those wait for nobody who writes in the same community.
  if (isSuppressed || changes.length > 0 || outdated.length > 0) {
    const changeSets = await ctx.db.transaction('system', async (tx) => {
      await lockCommunity(tx, community.id);
      const dropped = await dropItems(tx, outdated);
      // What was being written meanwhile, against this decision, is looked at again.
      if (dropped.length < outdated.length)
        await enqueueReconcile(tx, {
          communityId: community.id,
          members: [userId],
          cause: liftSuppressions ? 'asked' : 'schedule',
        });
      if (isSuppressed) await resumeMembers(tx, community.id, [userId]);
      const changeSet = {
        community,
        cause: 'asked',
        changes,
        reconciled: [userId],
        unknowns: 0,
        isUrgent: true,
        asked,
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
