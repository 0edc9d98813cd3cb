import { flag, number, text, url } from './config-kinds.ts';

const web = ['http:', 'https:'];

/** The variables about selling plans and taking donations. */
export const paymentVariables = {
  LATCHKEY_SELL_PLANS: flag(
    'Sell plans, and hold everybody to the features and scopes of their plan. Without it nothing is sold and everything is included.',
  ),
  LATCHKEY_PAYMENT_GRACE_DAYS: number('How many days a plan stays after a payment by card failed.', 7, 0, 60),
  LATCHKEY_STRIPE_SECRET_KEY: text(
    'The secret key of the Stripe account that plans are sold and donations are taken with.',
  ),
  LATCHKEY_STRIPE_WEBHOOK_SECRET: text('The secret by which Stripe signs what it sends to /stripe/webhook.'),
  LATCHKEY_STRIPE_URL: url('Where Stripe’s API is reached.', web, 'https://api.stripe.com'),
  LATCHKEY_UNLOCK_URL: url(
    'The page on which keys of locks are bought.',
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
