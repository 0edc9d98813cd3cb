import { flag, number, secret, url } from './config-kinds.ts';

const web = ['http:', 'https:'];

/** The variables for selling plans and accepting donations. */
export const paymentVariables = {
  LATCHKEY_SELL_PLANS: flag(
    'Sell plans, and limit everyone to the features and scopes of their plan. Otherwise nothing is sold and everything is included.',
  ),
  LATCHKEY_PAYMENT_GRACE_DAYS: number('How many days a plan stays active after a card payment fails.', 7, 0, 60),
  LATCHKEY_STRIPE_SECRET_KEY: secret('The secret key of the Stripe account for plans and donations.', {
    form: /^[sr]k_(?:test|live)_\w+$/,
    expected: 'a secret key that starts with sk_ or rk_. One that starts with pk_ is publishable and cannot charge',
  }),
  LATCHKEY_STRIPE_WEBHOOK_SECRET: secret('The signing secret of the Stripe webhook at /stripe/webhook.', {
    form: /^whsec_\w+$/,
    expected: 'a signing secret that starts with whsec_',
  }),
  LATCHKEY_STRIPE_URL: url('The base URL of Stripe’s API.', web, 'https://api.stripe.com'),
  LATCHKEY_UNLOCK_URL: url(
    'The Unlock checkout page, where membership keys are bought.',
    web,
    'https://app.unlock-protocol.com/checkout',
  ),
};

type Values = { [Name in keyof typeof paymentVariables]: ReturnType<(typeof paymentVariables)[Name]['read']> };

export function shapePayments(values: Values) {
  return {
    selling: { isOn: values.LATCHKEY_SELL_PLANS, graceDays: values.LATCHKEY_PAYMENT_GRACE_DAYS },
    stripe: {
      secretKey: values.LATCHKEY_STRIPE_SECRET_KEY,
      webhookSecret: values.LATCHKEY_STRIPE_WEBHOOK_SECRET,
      url: values.LATCHKEY_STRIPE_URL ?? 'https://api.stripe.com',
    },
    unlockUrl: values.LATCHKEY_UNLOCK_URL ?? 'https://app.unlock-protocol.com/checkout',
  };
}
