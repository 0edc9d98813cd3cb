import { choice, record, T, text, texts, type ValueOf } from '@latchkey/kernel';

export const freePlanId = 'free';

export type Audience = 'organization' | 'community';

export const PlanRateLimiter = record('PlanRateLimiter', 'How many requests a plan allows in a period.', {
  points: T.Number({ description: 'How many requests are allowed in one period.' }),
  duration: T.Number({ description: 'The length of the period, in seconds.' }),
  key: text('The name of the counter; requests of one caller under one key are counted together.'),
  label: text('A description of this limit.'),
  scopes: text('The scopes whose operations are counted, separated by spaces; $all counts every one.'),
});

export const PlanFeature = record('PlanFeature', 'A feature of a plan beyond its limits.', {
  identifier: choice('Which feature it is.', [
    'PREMIUM_SUPPORT',
    'MINIAPP',
    'PLAN',
    'ON_DEMAND_BALANCE_CHECK',
    'TWITTER_TGR',
  ]),
  metadata: T.Optional(
    T.Union([text('One detail.'), texts('Several details.')], {
      description: 'What the feature covers, for example the included mini-apps.',
    }),
  ),
  hide: T.Optional(T.Boolean({ description: 'True if lists should not show the feature.' })),
});

const PlanLock = record('PlanLock', 'An Unlock Protocol lock that sells a plan.', {
  network: T.Number({ description: 'The id of the EVM chain that the lock is on.' }),
  skipRecipient: T.Boolean({ description: 'True when the key is bought for the paying wallet itself.' }),
  address: T.Optional(text('The address of the lock, if it is not the name of the entry.')),
});

const PlanStripeConfig = record('PlanStripeConfig', 'Where a plan is sold at Stripe: public ids only.', {
  priceId: T.Optional(text('The id of the price at Stripe.')),
  productId: T.Optional(text('The id of the product at Stripe.')),
});

export const SubscriptionPlan = record('Plan', 'What an organization or a community may use, and what that costs.', {
  pk: text('Always PLAN.'),
  sk: text('PLAN# and the id of the plan.'),
  name: text('The name of the plan.'),
  price: T.Number({
    description:
      'What one billing period costs, in the smallest unit of the plan’s first currency: US cents by default, so 1799 is $17.99.',
  }),
  billingPeriod: text('How often the price is due: monthly or yearly.'),
  maxAPIKeys: T.Optional(T.Number({ description: 'How many client applications may exist at a time.' })),
  maxMiniApps: T.Optional(T.Number({ description: 'How many mini-apps may be registered at a time.' })),
  rateLimits: T.Optional(
    T.Array(PlanRateLimiter, { description: 'The request limits; all of them apply.', maxItems: 20 }),
  ),
  minBuy: T.Optional(text('The minimum number of months the plan can be bought for.')),
  classifier: T.Optional(text('Always PLAN.')),
  description: T.Optional(text('Who the plan is for.')),
  allowedScopes: T.Optional(texts('The scopes client applications may have; absent for all.')),
  disallowedScopes: T.Optional(texts('The scopes client applications may not have.')),
  userId: T.Optional(text('The subscriber that a plan was created for; absent for plans that are available to all.')),
  timestamp: T.Optional(T.Number({ description: 'When the plan was created, in milliseconds since 1970.' })),
  lockConfig: T.Optional(
    T.Unsafe<Record<string, ValueOf<typeof PlanLock>>>({
      type: 'object',
      description: 'The Unlock Protocol locks that sell the plan, by their address.',
      additionalProperties: PlanLock,
      maxProperties: 50,
    }),
  ),
  features: T.Optional(
    T.Array(PlanFeature, { description: 'What the plan includes beyond its limits.', maxItems: 50 }),
  ),
  stripeConfig: T.Optional(PlanStripeConfig),
  expirationTime: T.Optional(
    T.Number({ description: 'When the plan is no longer offered, in milliseconds since 1970; absent without an end.' }),
  ),
});
export type SubscriptionPlan = ValueOf<typeof SubscriptionPlan>;

/** The limits that a plan sets for a caller. */
export interface PlanLimits {
  planId: string;
  /** The display name. */
  name: string;
  maxApiKeys: number;
  maxMiniApps: number;
  rateLimits: readonly { key: string; points: number; durationSeconds: number; scopes: readonly string[] }[];
  /** null leaves scopes unrestricted. */
  allowedScopes: readonly string[] | null;
  disallowedScopes: readonly string[];
}

/** Returns the id of a plan from its id or sk. Undefined if the text is neither. */
export function planIdOf(idOrSk: string): string | undefined {
  return /^(?:PLAN#)?([0-9A-Za-z-]{1,64})$/.exec(idOrSk)?.[1];
}
