import { AppError, findScope, splitScopes } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { type CatalogPlan, type CatalogPlanBody, toCatalogPlan } from './catalog-plan.ts';
import { freePlanId, planIdOf } from './plan.ts';
import { type NewPlan, type PlanRow, selectPlan, upsertPlanRow } from './queries.ts';

/** Creates a plan, or replaces all of it but whom it is for. Running servers follow within seconds. */
export async function savePlan(
  ctx: Pick<Context, 'clock' | 'db'>,
  { planId, body }: { planId: string; body: CatalogPlanBody },
): Promise<CatalogPlan> {
  const id = planIdOf(planId);
  if (id === undefined)
    throw new AppError('INVALID_PARAMETER_VALUE', 'The id of a plan is 1 to 64 letters, digits and hyphens.');
  checkBody(id, body);
  return ctx.db.transaction('system', async (tx) => {
    const known = await selectPlan(tx, id);
    if (known !== undefined && known.audience !== body.audience)
      throw new AppError('STATE_CONFLICT', `The plan ${id} is for ${known.audience}s; that cannot be changed.`);
    return toCatalogPlan(await upsertPlanRow(tx, toRow(id, body, known, ctx.clock())));
  });
}

function toRow(id: string, body: CatalogPlanBody, known: PlanRow | undefined, now: Date): NewPlan {
  const [first, ...others] = body.prices;
  const locks = (body.locks ?? []).map(({ address, chainId, skipRecipient = true }) => [
    address,
    { network: chainId, skipRecipient },
  ]);
  return {
    id,
    audience: body.audience,
    name: body.name,
    description: body.description ?? null,
    price_cents: first?.amount ?? 0,
    currency: first?.currency ?? 'usd',
    billing_period: first?.billingPeriod ?? 'monthly',
    other_prices: JSON.stringify(others),
    stripe_config: stripeConfig(known, first?.priceId),
    lock_config: locks.length === 0 ? null : JSON.stringify(Object.fromEntries(locks)),
    min_buy_months: body.minBuyMonths ?? null,
    max_api_keys: body.maxClientApps ?? 3,
    max_mini_apps: body.maxMiniApps ?? 3,
    rate_limits: JSON.stringify(body.rateLimits ?? []),
    features: JSON.stringify(body.features ?? []),
    allowed_scopes: body.allowedScopes ?? null,
    disallowed_scopes: body.disallowedScopes ?? [],
    check_period_seconds: body.checkPeriodSeconds ?? null,
    offered_until: body.offeredUntil === undefined ? null : new Date(body.offeredUntil),
    created_at: known?.created_at ?? now,
  };
}

/** Whatever else the operator keeps there stays; which price is sold is said anew. */
function stripeConfig(known: PlanRow | undefined, priceId: string | undefined): string | null {
  const config = { ...known?.stripe_config, priceId };
  return Object.values(config).every((value) => value === undefined) ? null : JSON.stringify(config);
}

/** The counters of requests are 32 bits wide. */
const mostCounted = 1_000_000_000;

/** Communities without any other plan are on this one. */
const starterId = 'starter';

function checkBody(id: string, body: CatalogPlanBody): void {
  const { prices, allowedScopes = [], disallowedScopes = [], rateLimits = [] } = body;
  const names = prices.map(({ billingPeriod, currency }) => `${billingPeriod} ${currency}`);
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice !== -1) throw refuse(`/prices/${twice}`, `is a second price for ${names[twice]}`);
  if (prices.length > 0 && (id === freePlanId || id === starterId))
    throw refuse('/prices', `must be empty: the plan ${id} is what everybody has without paying`);
  if (id === starterId && body.checkPeriodSeconds === undefined)
    throw refuse('/checkPeriodSeconds', 'is needed in the plan that every community begins with');
  if (body.offeredUntil !== undefined && Number.isNaN(Date.parse(body.offeredUntil)))
    throw refuse('/offeredUntil', 'is no time that exists');
  const rateScopes = rateLimits.flatMap(({ scopes }) => splitScopes(scopes));
  for (const [field, scopes] of Object.entries({ allowedScopes, disallowedScopes, rateLimits: rateScopes })) {
    const unknown = scopes.find((scope) => findScope(scope) === undefined);
    if (unknown !== undefined) throw refuse(`/${field}`, 'names a scope that does not exist; GET /scopes lists them');
  }
  for (const [index, { points, duration }] of rateLimits.entries())
    if (![points, duration].every((value) => Number.isInteger(value) && value > 0 && value <= mostCounted))
      throw refuse(`/rateLimits/${index}`, `must have whole numbers from 1 to ${mostCounted} as points and duration`);
}

function refuse(path: string, message: string): AppError {
  return new AppError('VALIDATION_FAILED', `The body at ${path} ${message}.`, {
    details: [{ path, code: 'rule', message }],
  });
}
