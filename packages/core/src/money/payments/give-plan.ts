import { AppError } from '@latchkey/kernel';
import { givePlan, selectCommunity, starterPlanId, takePlan } from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import { ownOrganization, setPlan } from '../../developers/dev-orgs/index.ts';
import { freePlanId, getPlanForSale } from '../plans/index.ts';
import { selectActiveOf } from './queries.ts';

interface Given {
  planId: string;
  subscriberId: string;
}

/** Puts an organization or a community on a plan without payment: for the operator. */
export async function giveSubscriptionPlan(ctx: Context, { planId, subscriberId }: Given): Promise<void> {
  const plan = await getPlanForSale(ctx, planId);
  if (plan.audience === 'community') return givePlan(ctx, subscriberId, plan.id);
  await setPlan(ctx, subscriberId, plan.id);
}

/** Takes a plan away that the operator gave, if it is there. One that somebody pays for ends with its payments. */
export async function takeSubscriptionPlan(ctx: Context, { planId, subscriberId }: Given): Promise<void> {
  const plan = await getPlanForSale(ctx, planId);
  const isForCommunity = plan.audience === 'community';
  const id = isForCommunity ? await communityId(ctx, subscriberId) : (await organization(ctx, subscriberId)).id;
  const active = await ctx.tx((tx) => selectActiveOf(tx, id));
  if (active.some(({ plan_id }) => plan_id === plan.id))
    throw new AppError('STATE_CONFLICT', 'Somebody pays for this plan. End the subscription instead.');
  if (plan.id === starterPlanId || plan.id === freePlanId)
    throw new AppError('STATE_CONFLICT', 'Everybody has this plan without paying; it cannot be taken away.');
  if (isForCommunity) return takePlan(ctx, id, plan.id);
  if ((await organization(ctx, id)).plan_id === plan.id) await setPlan(ctx, id, active[0]?.plan_id ?? freePlanId);
}

async function communityId(ctx: Context, id: string): Promise<string> {
  const community = await selectCommunity(ctx.db.system, id);
  if (community === undefined) throw new AppError('ENTITY_NOT_FOUND', 'Community not found.');
  return community.id;
}

function organization(ctx: Context, id: string) {
  return ctx.tx((tx) => ownOrganization(ctx, tx, id));
}
