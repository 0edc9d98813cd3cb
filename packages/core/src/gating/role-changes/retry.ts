import { AppError } from '@latchkey/kernel';
import type { CommunityRow } from '../../communities/community/index.ts';
import type { Context } from '../../shared/context.ts';
import { ownPlan } from './own-plan.ts';
import { pairKey } from './pause-queries.ts';
import { lockCommunity, movePlan } from './plan-queries.ts';
import { lookNow } from './preview.ts';
import { followsFromRules, ownCauses } from './rule-items.ts';
import { refuseInShadow } from './shadow/guard.ts';
import { tryStopsAgain } from './stop-queries.ts';
import type { RolePlanRow } from './tables.ts';
import { wakeWriter } from './wake.ts';
import { finishPlans, reviveItems, selectItemsOf } from './write-queries.ts';

/**
 * Tries a failed plan again. What waits because the platform refused it is tried at once; what was given up after several
 * tries is put back if a look at its members says that it is still wanted.
 */
export async function retryRolePlan(ctx: Context, planId: string): Promise<void> {
  const { plan, community } = await ownPlan(ctx, planId);
  if (plan.status !== 'failed') throw notFailed(plan);
  if (plan.cause === ownCauses.join)
    throw new AppError('STATE_CONFLICT', 'A request to join is answered again by itself, as long as it is open.');
  const items = await selectItemsOf(ctx.db.system, [plan.id]);
  const wanted = await findWanted(ctx, community, plan, items);
  await ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, community.id);
    await refuseInShadow(tx, community.id);
    const changes = { status: 'approved' as const, finished_at: null, note: null };
    if (!(await movePlan(tx, plan.id, ['failed'], changes))) throw notFailed(plan);
    await reviveItems(tx, plan.id, wanted);
    const waiting = items.filter(({ state }) => state === 'pending' || state === 'failed');
    await tryStopsAgain(tx, community.id, [...new Set(waiting.map((item) => item.role_id))]);
    await finishPlans(tx, community.id, ctx.clock());
    await wakeWriter(tx, community.id);
  });
}

type Item = Awaited<ReturnType<typeof selectItemsOf>>[number];

/** Of the items that were given up, those that are to be written still. */
async function findWanted(
  ctx: Context,
  community: CommunityRow,
  { cause }: RolePlanRow,
  items: readonly Item[],
): Promise<readonly Item[]> {
  const failed = items.filter(({ state }) => state === 'failed');
  if (failed.length === 0 || !followsFromRules(cause)) return failed;
  const userIds = [...new Set(failed.map((item) => item.user_id))];
  const { members } = await lookNow(ctx, community, userIds, { liftPauses: false });
  const changes = members.flatMap((member) => member.changes);
  const asked = new Set(changes.map((change) => `${pairKey(change)}/${change.action}`));
  return failed.filter((item) => asked.has(`${item.user_id}/${item.role_id}/${item.action}`));
}

function notFailed({ status }: RolePlanRow): AppError {
  return new AppError('STATE_CONFLICT', `Only a failed plan can be retried; this one is ${status}.`);
}
