import { notFound } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { type Audience, planIdOf, type SubscriptionPlan } from './plan.ts';
import { type PlanRow, selectPlan, selectPlans } from './queries.ts';

/** Lists the plans of one audience, cheapest first, including those that are no longer offered. */
export async function listPlans(ctx: Pick<Context, 'db'>, audience: Audience): Promise<SubscriptionPlan[]> {
  return (await selectPlans(ctx.db.system, audience)).map(toPlan);
}

/** Lists the plans that are currently offered to one audience, cheapest first. */
export async function listOfferedPlans(
  ctx: Pick<Context, 'clock' | 'db'>,
  audience: Audience,
): Promise<SubscriptionPlan[]> {
  const now = ctx.clock().getTime();
  return (await listPlans(ctx, audience)).filter(({ expirationTime }) => (expirationTime ?? now + 1) > now);
}

export async function getPlan(ctx: Pick<Context, 'db'>, audience: Audience, planId: string): Promise<SubscriptionPlan> {
  const id = planIdOf(planId);
  const row = id === undefined ? undefined : await selectPlan(ctx.db.system, id);
  if (row === undefined || row.audience !== audience) throw notFound('plan');
  return toPlan(row);
}

function toPlan(row: PlanRow): SubscriptionPlan {
  return {
    pk: 'PLAN',
    sk: `PLAN#${row.id}`,
    classifier: 'PLAN',
    name: row.name,
    description: row.description ?? undefined,
    price: row.price_cents,
    billingPeriod: row.billing_period,
    minBuy: row.min_buy_months?.toString(),
    maxAPIKeys: row.max_api_keys,
    maxMiniApps: row.max_mini_apps,
    rateLimits: row.rate_limits,
    features: row.features,
    allowedScopes: row.allowed_scopes ?? undefined,
    disallowedScopes: row.disallowed_scopes,
    lockConfig: row.lock_config ?? undefined,
    stripeConfig: toStripeConfig(row.stripe_config),
    timestamp: row.created_at.getTime(),
    expirationTime: row.offered_until?.getTime(),
  };
}

// Picks the fields: other data of the operator in that column is not returned.
function toStripeConfig(config: PlanRow['stripe_config']): SubscriptionPlan['stripeConfig'] {
  if (config === null || config === undefined) return undefined;
  return { priceId: config.priceId, productId: config.productId };
}
