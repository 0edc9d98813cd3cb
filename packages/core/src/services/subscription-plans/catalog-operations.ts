import type { Sql } from '@latchkey/db';
import {
  AppError,
  admin,
  choice,
  findScope,
  listOf,
  NoContent,
  notFound,
  op,
  record,
  splitScopes,
  T,
  text,
  texts,
  type ValueOf,
} from '@latchkey/kernel';
import type { BillingPeriod, PlanPrice } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { refuse } from '../../shared/refuse.ts';
import { type Audience, freePlanId, PlanFeature, PlanRateLimiter, planIdOf } from './plan.ts';
import {
  deletePlanRow,
  type NewPlan,
  type PlanRow,
  selectAllPlans,
  selectPlan,
  selectPlanOfPrice,
  upsertPlanRow,
} from './queries.ts';

const CatalogPrice = record('CatalogPrice', 'What a plan costs in one billing period.', {
  billingPeriod: choice('How often it is due.', ['monthly', 'yearly']),
  currency: text('The currency as three lower-case letters, for example usd.', { pattern: '^[a-z]{3}$', maxLength: 3 }),
  amount: T.Integer({
    format: 'int32',
    description: 'The price in the smallest unit of the currency, as everywhere in this API: 1799 is $17.99.',
    minimum: 1,
    maximum: 99_999_999,
  }),
  priceId: T.Optional(
    text(
      'A price of your Stripe account to sell at, with the same amount and period. Defaults to one that Latchkey creates there.',
      {
        pattern: '^[A-Za-z0-9_]+$',
        maxLength: 255,
      },
    ),
  ),
});

const CatalogLock = record('CatalogLock', 'An Unlock Protocol lock that sells a plan.', {
  address: text('The address of the lock.', { pattern: '^0x[0-9a-fA-F]{40}$', maxLength: 42 }),
  chainId: T.Integer({
    description: 'The EVM chain that the lock is on.',
    format: 'int64',
    minimum: 1,
    maximum: 9_007_199_254_740_991,
  }),
  skipRecipient: T.Optional(
    T.Boolean({ description: 'True when the key is bought for the paying wallet itself. Defaults to true.' }),
  ),
});

const count = (description: string) => T.Integer({ description, format: 'int32', minimum: 0, maximum: 1_000_000 });

const fields = {
  audience: choice('Who can be on the plan. It never changes.', ['organization', 'community']),
  name: text('The name of the plan.', { minLength: 1, maxLength: 100 }),
  description: T.Optional(text('Who the plan is for.')),
  prices: T.Array(CatalogPrice, {
    description:
      'What the plan costs: at most one price for each billing period and currency. The published operations show and sell the first. Empty for a plan that is not sold by card.',
    maxItems: 50,
  }),
  minBuyMonths: T.Optional(
    T.Integer({
      description: 'The minimum number of months the plan is sold for.',
      format: 'int32',
      minimum: 1,
      maximum: 120,
    }),
  ),
  maxClientApps: T.Optional(count('How many client applications may exist at a time. Defaults to 3.')),
  maxMiniApps: T.Optional(count('How many mini-apps may be registered at a time. Defaults to 3.')),
  rateLimits: T.Optional(
    T.Array(PlanRateLimiter, { description: 'The request limits; all of them apply.', maxItems: 20 }),
  ),
  features: T.Optional(
    T.Array(PlanFeature, { description: 'What the plan includes beyond its limits.', maxItems: 50 }),
  ),
  allowedScopes: T.Optional(texts('The scopes client applications may use; absent for all.', { maxLength: 64 })),
  disallowedScopes: T.Optional(texts('The scopes client applications may not use.', { maxLength: 64 })),
  locks: T.Optional(
    T.Array(CatalogLock, {
      description: 'The locks that sell the plan; it can be bought with a key of any of them.',
      maxItems: 50,
    }),
  ),
  checkPeriodSeconds: T.Optional(
    T.Integer({
      format: 'int32',
      description: 'How often the members of a community on this plan are re-checked, in seconds.',
      minimum: 3600,
      maximum: 2_592_000,
    }),
  ),
  offeredUntil: T.Optional(
    text('When the plan is no longer sold, in ISO 8601; absent for no end. Existing subscribers keep it.', {
      format: 'date-time',
      maxLength: 40,
    }),
  ),
};

export const CatalogPlanBody = record('CatalogPlanBody', 'A subscription plan to save.', fields);
export type CatalogPlanBody = ValueOf<typeof CatalogPlanBody>;

export const CatalogPlan = record('CatalogPlan', 'A subscription plan, for the operator.', {
  id: text('The id of the plan.'),
  ...fields,
});
export type CatalogPlan = ValueOf<typeof CatalogPlan>;

function toCatalogPlan(row: PlanRow): CatalogPlan {
  return {
    id: row.id,
    audience: row.audience,
    name: row.name,
    description: row.description ?? undefined,
    prices: pricesOf(row).filter(({ amount }) => amount > 0),
    minBuyMonths: row.min_buy_months ?? undefined,
    maxClientApps: row.max_api_keys,
    maxMiniApps: row.max_mini_apps,
    rateLimits: row.rate_limits,
    features: row.features,
    allowedScopes: row.allowed_scopes ?? undefined,
    disallowedScopes: row.disallowed_scopes,
    locks: Object.entries(row.lock_config ?? {}).map(([name, { address, network, skipRecipient }]) => ({
      address: address ?? name,
      chainId: network,
      skipRecipient,
    })),
    checkPeriodSeconds: row.check_period_seconds ?? undefined,
    offeredUntil: row.offered_until?.toISOString(),
  };
}

/** What a purchase needs to know about a plan. */
export interface PlanForSale {
  id: string;
  audience: Audience;
  name: string;
  /** Every card price; the first one is the one that is shown. */
  prices: readonly PlanPrice[];
  /** The minimum number of months; 0 if there is none. */
  minBuyMonths: number;
  offeredUntil: Date | undefined;
  locks: readonly { address: string; chainId: number; skipRecipient: boolean }[];
}

/** Returns a plan by its id or sk, for any kind of subscriber. */
export async function getPlanForSale(ctx: Pick<Context, 'db'>, planId: string): Promise<PlanForSale> {
  const id = planIdOf(planId);
  const row = id === undefined ? undefined : await selectPlan(ctx.db.system, id);
  if (row === undefined) throw notFound('plan');
  return toPlanForSale(row);
}

/** Finds the plan of a price at the card provider: by the price's metadata, or by its id. */
export async function findPlanOfPrice(
  db: Sql,
  price: { id: string; planId: string | undefined },
): Promise<PlanForSale | undefined> {
  const named = price.planId === undefined ? undefined : await selectPlan(db, price.planId);
  const row = named ?? (await selectPlanOfPrice(db, price.id));
  return row && toPlanForSale(row);
}

function toPlanForSale(row: PlanRow): PlanForSale {
  return {
    id: row.id,
    audience: row.audience,
    name: row.name,
    prices: pricesOf(row),
    minBuyMonths: row.min_buy_months ?? 0,
    offeredUntil: row.offered_until ?? undefined,
    locks: Object.entries(row.lock_config ?? {}).map(([name, lock]) => ({
      address: lock.address ?? name,
      chainId: lock.network,
      skipRecipient: lock.skipRecipient,
    })),
  };
}

/** Returns all prices of a plan; none if it is free. */
function pricesOf(row: PlanRow): PlanPrice[] {
  const priceId = row.stripe_config?.priceId;
  const money = { billingPeriod: row.billing_period, amount: row.price_cents, currency: row.currency };
  const first = { ...money, ...(priceId !== undefined && { priceId }) };
  return [...(row.price_cents > 0 || priceId !== undefined ? [first] : []), ...row.other_prices];
}

interface WantedPrice {
  billingPeriod?: BillingPeriod | undefined;
  currency?: string | undefined;
}

/** Returns the first matching price. The plan decides what was not specified. */
export function choosePrice(plan: PlanForSale, { billingPeriod, currency }: WantedPrice): PlanPrice {
  if (plan.prices.length === 0) throw new AppError('VALIDATION_FAILED', `The plan ${plan.name} is not sold by card.`);
  const found = plan.prices.find(
    (price) =>
      price.billingPeriod === (billingPeriod ?? price.billingPeriod) && price.currency === (currency ?? price.currency),
  );
  if (found !== undefined) return found;
  const offered = plan.prices.map((price) => `${price.billingPeriod} in ${price.currency}`).join(', ');
  throw new AppError(
    'VALIDATION_FAILED',
    `The plan ${plan.name} is not available with that billing period and currency. It is available ${offered}.`,
  );
}

/** Creates a plan, or replaces everything except its kind of subscriber. Running servers follow within seconds. */
export async function savePlan(
  ctx: Pick<Context, 'clock' | 'db'>,
  { planId, body }: { planId: string; body: CatalogPlanBody },
): Promise<CatalogPlan> {
  const id = planIdOf(planId);
  if (id === undefined)
    throw new AppError('INVALID_PARAMETER_VALUE', 'A plan id must be 1 to 64 letters, digits and hyphens.');
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

/** Keeps other fields that the operator stored there; replaces the price on sale. */
function stripeConfig(known: PlanRow | undefined, priceId: string | undefined): string | null {
  const config = { ...known?.stripe_config, priceId };
  return Object.values(config).every((value) => value === undefined) ? null : JSON.stringify(config);
}

/** The request counters are 32-bit. */
const mostCounted = 1_000_000_000;

/** Communities without another plan are on this one. */
const starterId = 'starter';

function checkBody(id: string, body: CatalogPlanBody): void {
  const { prices, allowedScopes = [], disallowedScopes = [], rateLimits = [] } = body;
  const names = prices.map(({ billingPeriod, currency }) => `${billingPeriod} ${currency}`);
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice !== -1) throw refuse(`/prices/${twice}`, `is a second price for ${names[twice]}`);
  if (prices.length > 0 && (id === freePlanId || id === starterId))
    throw refuse('/prices', `must be empty: the plan ${id} is free for everyone`);
  if (id === starterId && body.checkPeriodSeconds === undefined)
    throw refuse('/checkPeriodSeconds', 'is required in the plan that every community starts with');
  if (body.offeredUntil !== undefined && Number.isNaN(Date.parse(body.offeredUntil)))
    throw refuse('/offeredUntil', 'is not a valid date');
  const rateScopes = rateLimits.flatMap(({ scopes }) => splitScopes(scopes));
  for (const [field, scopes] of Object.entries({ allowedScopes, disallowedScopes, rateLimits: rateScopes })) {
    const unknown = scopes.find((scope) => findScope(scope) === undefined);
    if (unknown !== undefined) throw refuse(`/${field}`, 'contains an unknown scope; GET /scopes lists them');
  }
  for (const [index, { points, duration }] of rateLimits.entries())
    if (![points, duration].every((value) => Number.isInteger(value) && value > 0 && value <= mostCounted))
      throw refuse(`/rateLimits/${index}`, `must have whole numbers from 1 to ${mostCounted} as points and duration`);
}

const foreignKeyViolation = '23503';

/** Deletes a plan that was never assigned. */
export async function removePlan(ctx: Pick<Context, 'db'>, { planId }: { planId: string }): Promise<void> {
  const id = planIdOf(planId);
  if (id === 'free' || id === 'starter')
    throw new AppError('STATE_CONFLICT', `The plan ${id} is free for everyone and cannot be deleted.`);
  try {
    const isDeleted = id !== undefined && (await ctx.db.transaction('system', (tx) => deletePlanRow(tx, id)));
    if (!isDeleted) throw notFound('plan');
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== foreignKeyViolation) throw error;
    throw new AppError(
      'STATE_CONFLICT',
      `The plan ${id} is or was in use. Set offeredUntil to stop selling it instead.`,
    );
  }
}

const planId = T.String({ description: 'The id of the plan, or its sk.', minLength: 1, maxLength: 69 });

/** Lists every plan, including those that are no longer sold. */
export async function listCatalog(ctx: Pick<Context, 'db'>): Promise<CatalogPlan[]> {
  return (await selectAllPlans(ctx.db.system)).map(toCatalogPlan);
}

export const catalogOperations = [
  op(
    'GET /latchkey/plans',
    {
      id: 'listSubscriptionPlans',
      summary: 'List all subscription plans',
      description:
        'Returns every subscription plan with all its prices, including plans that are no longer sold. For the operator. Amounts are in the smallest unit of their currency.',
      access: admin(),
      returns: listOf(CatalogPlan, 'The plans, by audience and price.'),
    },
    listCatalog,
  ),
  op(
    'PUT /latchkey/plans/{planId}',
    {
      id: 'saveSubscriptionPlan',
      summary: 'Create or replace a subscription plan',
      description:
        'Creates a subscription plan, or replaces all of it: prices by billing period and currency, limits, features, scopes and locks. Existing subscribers keep their price. Running servers use the change within seconds. For the operator.',
      audit: 'subscription-plan.save',
      access: admin(),
      params: { planId },
      body: CatalogPlanBody,
      readAt: '/latchkey/plans',
      returns: CatalogPlan,
      errors: ['INVALID_PARAMETER_VALUE', 'STATE_CONFLICT', 'VALIDATION_FAILED'],
    },
    savePlan,
  ),
  op(
    'DELETE /latchkey/plans/{planId}',
    {
      id: 'deleteSubscriptionPlan',
      summary: 'Delete a subscription plan',
      description:
        'Deletes a subscription plan that was never assigned. Fails with STATE_CONFLICT otherwise: set `offeredUntil` to stop selling it. For the operator.',
      audit: 'subscription-plan.delete',
      access: admin(),
      params: { planId },
      readAt: '/latchkey/plans',
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT'],
    },
    removePlan,
  ),
] as const;
