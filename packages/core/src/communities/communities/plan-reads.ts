import { AppError, notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { getPlan, listPlans, type SubscriptionPlan } from '../../money/plans/index.ts';
import { getCommunity } from './own-community.ts';
import { selectActivePlans } from './plan-queries.ts';

type PlanContext = Pick<Context, 'clock' | 'db' | 'tx'>;

export function getCommunityPlans(ctx: Pick<Context, 'db'>): Promise<SubscriptionPlan[]> {
  return listPlans(ctx, 'community');
}

export function getCommunityPlan(ctx: Pick<Context, 'db'>, { planId }: { planId: string }): Promise<SubscriptionPlan> {
  return getPlan(ctx, 'community', planId);
}

/** The plans a community is on. */
export async function getSubscriptions(
  ctx: PlanContext,
  { communityId }: { communityId: string },
): Promise<SubscriptionPlan[]> {
  const active = await ctx.tx(async (tx) => {
    const { id } = await getCommunity(tx, communityId);
    return (await selectActivePlans(tx, [id], ctx.clock())).get(id) ?? [];
  });
  const plans = await getCommunityPlans(ctx);
  return plans.filter(({ sk }) => active.includes(sk.slice('PLAN#'.length)));
}

/** Where a community that pays for it finds help: the address that the feature of its plan names. */
export async function getPremiumSupportUrl(ctx: PlanContext, { id }: { id: string }): Promise<{ url: string }> {
  const plans = await getSubscriptions(ctx, { communityId: id });
  const features = plans.flatMap((plan) => plan.features ?? []);
  const support = features.filter(({ identifier }) => identifier === 'PREMIUM_SUPPORT');
  if (support.length === 0)
    throw new AppError('PLAN_LIMIT_REACHED', 'No plan of this community includes premium support.');
  const urls = support.flatMap(({ metadata }) => metadata ?? []);
  const url = urls.find((candidate) => URL.canParse(candidate));
  if (url === undefined) throw notFound('address of premium support');
  return { url };
}
