import { type Database, oneFor } from '@latchkey/db';
import { notFound, notSetUp, splitScopes } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import type { SellingSettings } from '../../shared/settings.ts';
import { type Audience, freePlanId, type PlanLimits, planIdOf, type SubscriptionPlan } from './plan.ts';
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

type PlanContext = Pick<Context, 'db' | 'clock'>;

type Read = { at: number; limits: Promise<PlanLimits | undefined> };

export const cacheTtlSeconds = 10;

// Cached per database, so that two platforms in one process do not share entries.
const cacheOf = oneFor((_db: Database) => new Map<string, Read>());

/** Returns what a plan allows, at most ten seconds old: every request needs it. Concurrent requests share one read. */
export function findPlan(ctx: PlanContext, planId: string): Promise<PlanLimits | undefined> {
  const cache = cacheOf(ctx.db);
  const now = ctx.clock().getTime();
  const known = cache.get(planId);
  if (known !== undefined && Math.abs(now - known.at) < cacheTtlSeconds * 1000) return known.limits;
  const read: Read = { at: now, limits: readLimits(ctx, planId) };
  cache.set(planId, read);
  // Caches only existing plans: otherwise ids that callers make up would fill the cache, and a failed read would
  // persist.
  const forget = () => {
    if (cache.get(planId) === read) cache.delete(planId);
  };
  read.limits.then((limits) => limits === undefined && forget(), forget);
  return read.limits;
}

/** Returns the limits of a plan; those of the free one without a plan, or if the plan was deleted. */
export async function planLimits(ctx: PlanContext, planId: string | undefined): Promise<PlanLimits> {
  const limits = (await findPlan(ctx, planId ?? freePlanId)) ?? (await findPlan(ctx, freePlanId));
  if (limits === undefined) throw new Error(`The plan "${freePlanId}" is missing from the database. Restore it.`);
  return limits;
}

async function readLimits(ctx: PlanContext, planId: string): Promise<PlanLimits | undefined> {
  const row = await selectPlan(ctx.db.system, planId);
  return row && toLimits(row);
}

function toLimits(row: PlanRow): PlanLimits {
  return {
    planId: row.id,
    name: row.name,
    maxApiKeys: row.max_api_keys,
    maxMiniApps: row.max_mini_apps,
    rateLimits: row.rate_limits.map(({ key, points, duration, scopes }) => ({
      key,
      points,
      durationSeconds: duration,
      scopes: splitScopes(scopes),
    })),
    allowedScopes: row.allowed_scopes,
    disallowedScopes: row.disallowed_scopes,
  };
}

type SellingContext = Pick<Context, 'settings'>;

export function sellingSettings({ settings }: SellingContext): SellingSettings {
  return { ...sellingDefaults, ...settings.selling };
}

/** Whether plans are sold here. If not, every feature is included. */
export function sellsPlans(ctx: SellingContext): boolean {
  return ctx.settings.selling?.isOn ?? sellingDefaults.isOn;
}

export function requireSelling(ctx: SellingContext): void {
  if (sellsPlans(ctx)) return;
  throw notSetUp(
    'This server does not sell plans: every feature is included. The operator can change that with LATCHKEY_SELL_PLANS.',
  );
}

const sellingDefaults: SellingSettings = { isOn: false, graceDays: 7 };
