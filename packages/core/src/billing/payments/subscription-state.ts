import { addDays, job, shape, T } from '@latchkey/kernel';
import type { PaidSubscription } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { noTerms, type SubscriptionRow } from './queries.ts';

export function graceEnd(since: Date, graceDays: number): Date {
  return addDays(since, graceDays);
}

type SubscriptionState = Pick<
  SubscriptionRow,
  | 'is_active'
  | 'began_at'
  | 'paid_until'
  | 'cancel_on'
  | 'check_at'
  | 'status'
  | 'past_due_since'
  | 'price_id'
  | 'billing_period'
  | 'amount'
  | 'currency'
>;

interface Known {
  bought: Pick<SubscriptionRow, 'began_at' | 'paid_until' | 'past_due_since'>;
  /** Whether a payment of it is disputed, or was refunded. */
  isDisputed: boolean;
  graceDays: number;
  now: Date;
}

/**
 * Returns the state of a subscription from what the provider reports now. A failed payment keeps the plan until the
 * grace period is over; a disputed one does not. A subscription that the provider no longer knows has ended.
 */
export function subscriptionStateOf(
  found: PaidSubscription | undefined,
  { bought, isDisputed, graceDays, now }: Known,
): SubscriptionState {
  if (found === undefined)
    return {
      is_active: false,
      began_at: bought.began_at,
      paid_until: bought.paid_until,
      cancel_on: null,
      check_at: null,
      ...noTerms,
      status: 'ended',
    };
  const lateSince = found.paymentState === 'late' ? (bought.past_due_since ?? now) : null;
  const isInGrace = lateSince !== null && now < graceEnd(lateSince, graceDays);
  return {
    is_active: !isDisputed && (found.paymentState === 'paid' || isInGrace),
    began_at: found.beganAt,
    paid_until: found.paidUntil,
    cancel_on: found.cancelOn ?? null,
    check_at: isInGrace ? graceEnd(lateSince, graceDays) : null,
    status: found.status,
    past_due_since: lateSince,
    price_id: found.price.id,
    billing_period: found.price.billingPeriod ?? null,
    amount: found.price.amount,
    currency: found.price.currency,
  };
}

const id = T.String({ minLength: 1, maxLength: 255 });

/** Ends a card subscription immediately: the user is gone, the payment was refunded, or it was bought twice. */
export const endSubscription = job(
  'payments.end',
  { payload: shape(T.Object({ id, isCredited: T.Optional(T.Boolean()) })), timeoutSeconds: 120 },
  async (ctx: Context, payload) => {
    if (ctx.cards === undefined) throw new Error('Card payments are not set up; a subscription cannot be ended yet.');
    await ctx.cards.end(payload.id, { isCredited: payload.isCredited ?? false });
  },
);

/** Deletes an erased user at the provider. */
export const forgetCustomer = job(
  'payments.forget-customer',
  { payload: shape(T.Object({ id })), timeoutSeconds: 120 },
  async (ctx: Context, payload) => {
    if (ctx.cards === undefined) throw new Error('Card payments are not set up; a customer cannot be deleted yet.');
    await ctx.cards.forgetCustomer(payload.id);
  },
);
