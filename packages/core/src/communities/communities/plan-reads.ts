import { notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import {
  featuresOf,
  getPlan,
  listOfferedPlans,
  listPlans,
  notInPlan,
  type SubscriptionPlan,
  sellsPlans,
} from '../../money/plans/index.ts';
import { readOfCommunity } from './access.ts';
import { selectActivePlans } from './plan-queries.ts';

type PlanContext = Pick<Context, 'actor' | 'clock' | 'db'>;

export function getCommunityPlans(ctx: Pick<Context, 'clock' | 'db'>): Promise<SubscriptionPlan[]> {
  return listOfferedPlans(ctx, 'community');
}

export function getCommunityPlan(ctx: Pick<Context, 'db'>, { planId }: { planId: string }): Promise<SubscriptionPlan> {
  return getPlan(ctx, 'community', planId);
}

/** The plans a community is on. */
export async function getSubscriptions(
  ctx: PlanContext,
  { communityId }: { communityId: string },
): Promise<SubscriptionPlan[]> {
  const active = await readOfCommunity(
    ctx,
    communityId,
    async (tx, { id }) => (await selectActivePlans(tx, [id], ctx.clock())).get(id) ?? [],
  );
  const plans = await listPlans(ctx, 'community');
  return plans.filter(({ sk }) => active.includes(sk.slice('PLAN#'.length)));
}

/**
 * Where a community finds help: the address that the feature of its plan names. Where plans are not sold, every plan that names
 * one will do.
 */
export async function getPremiumSupportUrl(
  ctx: PlanContext & Pick<Context, 'settings'>,
  { id }: { id: string },
): Promise<{ url: string }> {
  const own = (await getSubscriptions(ctx, { communityId: id })).map(({ sk }) => sk.slice('PLAN#'.length));
  const all = await listPlans(ctx, 'community');
  const planIds = sellsPlans(ctx) ? own : [...own, ...all.map(({ sk }) => sk.slice('PLAN#'.length))];
  const support = featuresOf(all, planIds).filter(({ identifier }) => identifier === 'PREMIUM_SUPPORT');
  if (support.length === 0 && sellsPlans(ctx)) throw notInPlan(all, own, 'PREMIUM_SUPPORT');
  const urls = support.flatMap(({ metadata }) => metadata ?? []);
  const url = urls.find((candidate) => URL.canParse(candidate));
  if (url === undefined) throw notFound('address of premium support');
  return { url };
}
