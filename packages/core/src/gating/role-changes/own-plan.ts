import { notFound } from '@latchkey/kernel';
import { administersCommunity, type CommunityRow, selectCommunity } from '../../communities/community/index.ts';
import type { Context } from '../../shared/context.ts';
import { selectPlan } from './plan-queries.ts';
import type { RolePlanRow } from './tables.ts';

/** A community that the caller looks after, by either of its ids. To everybody else it does not exist. */
export async function ownCommunity(ctx: Context, communityId: string): Promise<CommunityRow> {
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community === undefined || !(await administersCommunity(ctx, community.id))) throw notFound('community');
  return community;
}

/** A plan of a community that the caller looks after. To everybody else it does not exist. */
export async function ownPlan(ctx: Context, planId: string): Promise<{ plan: RolePlanRow; community: CommunityRow }> {
  const plan = await selectPlan(ctx.db.system, planId);
  const community = plan && (await selectCommunity(ctx.db.system, plan.community_id));
  if (plan === undefined || community === undefined || !(await administersCommunity(ctx, community.id)))
    throw notFound('plan');
  return { plan, community };
}

/** The same, by the community that a request names: a plan of another community does not exist there. */
export async function ownPlanOf(ctx: Context, communityId: string, planId: string): ReturnType<typeof ownPlan> {
  const { id } = await ownCommunity(ctx, communityId);
  const found = await ownPlan(ctx, planId);
  if (found.community.id !== id) throw notFound('plan');
  return found;
}
