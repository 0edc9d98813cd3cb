import { OpenObject, record, T, text, type ValueOf } from '@latchkey/kernel';

const redirectUri = T.Optional(
  text(
    'Where the buyer is redirected afterwards, with `slug` and `status` added: an address that the client application registered, or one on this server. Defaults to this server.',
    { maxLength: 2048 },
  ),
);

export const SubscriptionRequest = record('SubscriptionRequest', 'A plan to buy.', {
  state: OpenObject,
  organizationId: text('The organization, or for a plan of communities the community, that the plan is for.', {
    minLength: 1,
    maxLength: 128,
  }),
  redirectUri,
});
export type SubscriptionRequest = ValueOf<typeof SubscriptionRequest>;

/** The minimum of card networks, and an amount above which a donation is surely a mistake. */
const price = { minimum: 50, maximum: 99_999_999, multipleOf: 1 };

export const DonationRequest = record('DonationRequest', 'A donation to make.', {
  price: T.Number({
    description: 'The amount in the smallest unit of the currency, here US cents: 500 is $5.',
    ...price,
  }),
  recurring: T.Optional(T.Boolean({ description: 'Donate monthly instead of once.' })),
  confirmationMessage: T.Optional(
    text('The text shown to the donor before paying.', { minLength: 1, maxLength: 1200 }),
  ),
  redirectUri,
});
export type DonationRequest = ValueOf<typeof DonationRequest>;

export const CheckoutUrl = record('CheckoutUrl', 'Where to continue.', {
  url: T.Optional(text('The address to open.', { maxLength: 8192 })),
});
export type CheckoutUrl = ValueOf<typeof CheckoutUrl>;

const billingPeriod = (description: string) =>
  T.Optional(T.Union([T.Literal('monthly'), T.Literal('yearly')], { description }));

export const PlanCheckoutRequest = record('PlanCheckoutRequest', 'A plan to buy by card.', {
  subscriberId: text('The organization, or for a community plan the community, that the plan is for.', {
    minLength: 1,
    maxLength: 128,
  }),
  billingPeriod: billingPeriod('The billing period. Defaults to the plan’s first price.'),
  currency: T.Optional(
    text('The currency, as three lower-case letters. Defaults to the plan’s first price.', {
      pattern: '^[a-z]{3}$',
    }),
  ),
  state: T.Optional(OpenObject),
  redirectUri,
});
export type PlanCheckoutRequest = ValueOf<typeof PlanCheckoutRequest>;

export const PaidPlan = record('PaidPlan', 'A plan that a user pays or paid for.', {
  id: text('The subscription at Stripe, or the chain, lock and wallet of a key.'),
  provider: text('How it is paid: stripe or unlock.'),
  planId: text('The plan.'),
  subscriberId: text('The organization or community that has the plan.'),
  isActive: T.Boolean({ description: 'True while the subscriber has the plan because of it.' }),
  status: text('The status at the provider, for example active, past_due or canceled.'),
  beganAt: text('When it began.'),
  paidUntil: text('The end of the period that is paid for.'),
  endsAt: T.Optional(text('When it ends or has ended; absent while it renews.')),
  graceUntil: T.Optional(text('When the plan ends because a payment failed, unless it is paid by then.')),
  billingPeriod: billingPeriod('How often it is paid.'),
  amount: T.Optional(
    T.Number({ description: 'What one billing period costs, in the smallest unit of the currency: 1799 is $17.99.' }),
  ),
  currency: T.Optional(text('The currency, as three lower-case letters.')),
});
export type PaidPlan = ValueOf<typeof PaidPlan>;
