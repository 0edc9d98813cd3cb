import {
  type FeatureName,
  featuresOf,
  includesFeature,
  listPlans,
  notInPlan,
  sellsPlans,
} from '../../services/subscription-plans/index.ts';
import type { Context } from '../../shared/context.ts';
import { selectActivePlans } from './plan-queries.ts';
import { starterPlanId } from './set-plan.ts';

type FeatureContext = Pick<Context, 'actor' | 'clock' | 'db' | 'settings'>;

/**
 * Refuses what no plan of a community includes, in the name of its plan. Where plans are not sold everything is included, and
 * the operator is held to no plan.
 */
export async function requireFeature(
  ctx: FeatureContext,
  communityId: string,
  wanted: FeatureName,
  detail?: string,
): Promise<void> {
  if (!sellsPlans(ctx) || ctx.actor.kind === 'admin' || ctx.actor.kind === 'system') return;
  const given = (await selectActivePlans(ctx.db.system, [communityId], ctx.clock())).get(communityId) ?? [];
  const active = [...new Set([...given, starterPlanId])];
  const all = await listPlans(ctx, 'community');
  if (!includesFeature(featuresOf(all, active), wanted, detail)) throw notInPlan(all, active, wanted, detail);
}
