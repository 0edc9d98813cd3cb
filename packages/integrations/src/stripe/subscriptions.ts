import type { PaidSubscription } from '@latchkey/core/ports';
import type Stripe from 'stripe';
import { unlessMissing } from './asking.ts';
import { checkSubscription } from './check-objects.ts';
import { periodOf } from './prices.ts';
import { checkoutKey, dateOf, idOf, planKey, seconds } from './values.ts';

export async function readSubscription(stripe: Stripe, id: string): Promise<PaidSubscription | undefined> {
  const found = await unlessMissing(stripe.subscriptions.retrieve(id));
  if (found === undefined) return undefined;
  checkSubscription(found);
  const price = found.items.data[0]?.price;
  if (price === undefined) return undefined;
  const cancelOn = found.ended_at ?? found.cancel_at;
  return {
    id: found.id,
    checkoutId: found.metadata[checkoutKey],
    customerId: idOf(found.customer),
    status: found.status,
    standing: standingOf(found.status),
    price: {
      id: price.id,
      planId: price.metadata[planKey],
      billingPeriod: periodOf(price),
      amount: price.unit_amount ?? 0,
      currency: price.currency,
    },
    latestInvoiceId: found.latest_invoice === null ? undefined : idOf(found.latest_invoice),
    beganAt: dateOf(found.start_date),
    paidUntil: dateOf(periodEnd(found)),
    cancelOn: cancelOn === null ? undefined : dateOf(cancelOn),
  };
}

function standingOf(status: Stripe.Subscription['status']): PaidSubscription['standing'] {
  if (status === 'active' || status === 'trialing') return 'paid';
  return status === 'past_due' ? 'late' : 'ended';
}

/** Lets a subscription end with its period, or later. One that is due to end already stays as it is. */
export async function cancelSubscription(stripe: Stripe, id: string, on: Date): Promise<void> {
  const found = await stripe.subscriptions.retrieve(id);
  checkSubscription(found);
  if (hasEnded(found) || found.cancel_at !== null) return;
  const isLater = seconds(on) > periodEnd(found);
  await stripe.subscriptions.update(
    id,
    isLater ? { cancel_at: seconds(on), proration_behavior: 'none' } : { cancel_at_period_end: true },
  );
}

export async function resumeSubscription(stripe: Stripe, id: string): Promise<void> {
  const found = await stripe.subscriptions.retrieve(id);
  checkSubscription(found);
  if (hasEnded(found) || found.cancel_at === null) return;
  await stripe.subscriptions.update(
    id,
    found.cancel_at_period_end ? { cancel_at_period_end: false } : { cancel_at: '' },
  );
}

export async function endSubscription(stripe: Stripe, id: string, isCredited: boolean): Promise<void> {
  const found = await unlessMissing(stripe.subscriptions.retrieve(id));
  if (found === undefined || hasEnded(found)) return;
  await stripe.subscriptions.cancel(id, isCredited ? { prorate: true, invoice_now: true } : {});
}

function hasEnded({ status }: Stripe.Subscription): boolean {
  return status === 'canceled' || status === 'incomplete_expired';
}

function periodEnd(subscription: Stripe.Subscription): number {
  return Math.max(subscription.start_date, ...subscription.items.data.map((item) => item.current_period_end));
}
