import { choice, record, T, text, texts, type ValueOf } from '@latchkey/kernel';
import { PlanFeature, PlanRateLimiter } from './plan.ts';
import { pricesOf } from './plan-for-sale.ts';
import type { PlanRow } from './queries.ts';

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
      'A price of your Stripe account to sell at. It must be the same. Defaults to one that Latchkey creates there.',
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
  name: text('What people call the plan.', { minLength: 1, maxLength: 100 }),
  description: T.Optional(text('For whom the plan is.')),
  prices: T.Array(CatalogPrice, {
    description:
      'What the plan costs: at most one price for each billing period and currency. The published operations show and sell the first. Empty for a plan that is not sold by card.',
    maxItems: 50,
  }),
  minBuyMonths: T.Optional(
    T.Integer({
      description: 'The least number of months the plan is sold for.',
      format: 'int32',
      minimum: 1,
      maximum: 120,
    }),
  ),
  maxClientApps: T.Optional(count('How many client applications may exist at a time. Defaults to 3.')),
  maxMiniApps: T.Optional(count('How many mini-apps may be registered at a time. Defaults to 3.')),
  rateLimits: T.Optional(
    T.Array(PlanRateLimiter, { description: 'The request limits; all of them hold at once.', maxItems: 20 }),
  ),
  features: T.Optional(T.Array(PlanFeature, { description: 'What the plan opens beyond its limits.', maxItems: 50 })),
  allowedScopes: T.Optional(
    texts('The scopes client applications may use; absent leaves them open.', { maxLength: 64 }),
  ),
  disallowedScopes: T.Optional(texts('The scopes client applications may not use.', { maxLength: 64 })),
  locks: T.Optional(
    T.Array(CatalogLock, { description: 'The locks that sell the plan; a key of any of them buys it.', maxItems: 50 }),
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
    text('When the plan is no longer sold, in ISO 8601; absent for no end. Who has it keeps it.', {
      format: 'date-time',
      maxLength: 40,
    }),
  ),
};

export const CatalogPlanBody = record('CatalogPlanBody', 'A subscription plan as the operator writes it.', fields);
export type CatalogPlanBody = ValueOf<typeof CatalogPlanBody>;

export const CatalogPlan = record('CatalogPlan', 'A subscription plan as the operator sees it.', {
  id: text('The id of the plan.'),
  ...fields,
});
export type CatalogPlan = ValueOf<typeof CatalogPlan>;

export function toCatalogPlan(row: PlanRow): CatalogPlan {
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
