import { enqueue } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import type { CardPayments } from '../../ports/index.ts';
import { keepCheckout } from './begin-checkout.ts';
import type { Purchase } from './buy-plan.ts';
import type { CheckoutUrl } from './payment-record.ts';
import { openPortal } from './portal.ts';
import type { SubscriptionRow } from './queries.ts';
import { syncPayment } from './sync.ts';

/** Where the buyer of a running subscription goes on: one is never sold twice, it is kept, resumed or changed. */
export async function changeRunning(
  ctx: Context,
  cards: CardPayments,
  purchase: Purchase,
  running: SubscriptionRow,
): Promise<CheckoutUrl> {
  const { plan, price } = purchase;
  const isSame =
    running.plan_id === plan.id &&
    (running.billing_period ?? price.billingPeriod) === price.billingPeriod &&
    (running.currency ?? price.currency) === price.currency;
  if (isSame && running.cancel_on !== null) await resume(ctx, cards, running.id);
  // A payment that failed is put right on the same page.
  if (isSame || running.status === 'past_due') return openPortal(ctx, cards, running.id);
  if (running.currency !== null && running.currency !== price.currency)
    throw new AppError(
      'STATE_CONFLICT',
      `The running subscription is paid in ${running.currency}. End it first to pay in ${price.currency}.`,
    );
  if (running.cancel_on !== null)
    throw new AppError(
      'STATE_CONFLICT',
      `The running subscription ends on ${running.cancel_on.toISOString()}. Buy its plan again to keep it, then change it.`,
    );
  return confirmChange(ctx, cards, purchase, running);
}

async function resume(ctx: Context, cards: CardPayments, id: string): Promise<void> {
  await cards.resume(id);
  await enqueue(ctx.db.system, syncPayment, { kind: 'subscription', id }, { key: id });
}

async function confirmChange(
  ctx: Context,
  cards: CardPayments,
  { plan, price, subscriberId, asked }: Purchase,
  running: SubscriptionRow,
): Promise<CheckoutUrl> {
  const priceId = await cards.priceOf({ id: plan.id, name: plan.name, price });
  const { backUrl } = await keepCheckout(ctx, 'stripe', asked, {
    plan_id: plan.id,
    subscriber_id: subscriberId,
    subscription_id: running.id,
    price_id: priceId,
  });
  const doneUrl = `${backUrl}&sessionId=${running.id}`;
  return cards.change({ subscriptionId: running.id, priceId, doneUrl, returnUrl: backUrl });
}
