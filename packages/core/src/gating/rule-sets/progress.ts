import { countQueued } from '../../communities/reconcile-queue/index.ts';
import type { Context } from '../../shared/context.ts';
import { selectChangeSetsSince } from '../role-changes/index.ts';
import { getNamed } from './plan.ts';
import type { RuleSetProgress } from './shapes.ts';

/** Returns how many members still wait for a check, and the change sets that rule changes from this one on led to. */
export async function getRuleSetProgress(
  ctx: Context,
  { communityId, firstRuleChangeId }: { communityId: string; firstRuleChangeId?: string },
): Promise<RuleSetProgress> {
  const community = await getNamed(ctx, communityId);
  const queued = await countQueued(ctx.db.system, community.id, ctx.clock());
  const changeSets =
    firstRuleChangeId === undefined ? [] : await selectChangeSetsSince(ctx.db.system, community.id, firstRuleChangeId);
  return {
    isListing: queued.is_everyone,
    waiting: queued.due,
    postponed: queued.later,
    changeSets: changeSets.map(({ id, status, grants, revokes, written_grants, written_revokes }) => ({
      id,
      status,
      planned: grants + revokes,
      written: written_grants + written_revokes,
    })),
  };
}
