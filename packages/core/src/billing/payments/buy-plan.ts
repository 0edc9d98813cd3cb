import { enqueue } from '@latchkey/db';
import { AppError, principalId } from '@latchkey/kernel';
import type { CardPayments, PlanPrice } from '../../ports/index.ts';
import {
  choosePrice,
  getPlanForSale,
  type PlanForSale,
  requireSelling,
} from '../../services/subscription-plans/index.ts';
import type { Context } from '../../shared/context.ts';
import { askingProvider, keepCheckout, notSet, returnUrls } from './begin-checkout.ts';
import { openPortal, withCustomer } from './customer.ts';
import type { CheckoutUrl, PlanCheckoutRequest, SubscriptionRequest } from './payment-record.ts';
import type { SubscriptionRow } from './queries.ts';
import { selectOpenCheckouts, setSession, useCheckout } from './queries.ts';
import { findRunning, ownSubscriber } from './subscriber.ts';
import { syncPayment } from './sync.ts';

/** A plan bought by card: for which subscriber, and where the customer goes afterwards. */
interface Purchase {
  plan: PlanForSale;
  price: PlanPrice;
  subscriberId: string;
  request: { state?: Record<string, unknown> | undefined; redirectUri?: string | undefined };
}

/** Returns the checkout URL for a plan, at the price that the plan shows first. */
export function generateStripeCheckoutUrl(
  ctx: Context,
  { planId, body }: { planId: string; body: SubscriptionRequest },
): Promise<CheckoutUrl> {
  return buyPlan(ctx, planId, { ...body, subscriberId: body.organizationId });
}

/** Returns the checkout URL for a plan, with the billing period and currency that the buyer chose. */
export function createPlanCheckout(
  ctx: Context,
  { planId, body }: { planId: string; body: PlanCheckoutRequest },
): Promise<CheckoutUrl> {
  return buyPlan(ctx, planId, body);
}

async function buyPlan(ctx: Context, planId: string, body: PlanCheckoutRequest): Promise<CheckoutUrl> {
  const { cards } = ctx;
  if (cards === undefined) throw notSet('Card payments');
  requireSelling(ctx);
  const plan = await getPlanForSale(ctx, planId);
  const subscriberId = await ownSubscriber(ctx, plan, body.subscriberId);
  const purchase = { plan, price: choosePrice(plan, body), subscriberId, request: body };
  const running = await findRunning(ctx.db.system, plan, subscriberId);
  if (running === undefined) {
    requireOffered(plan, ctx.clock());
    return askingProvider(() => beginSubscription(ctx, cards, purchase));
  }
  if (running.created_by_id !== principalId(ctx.actor))
    throw new AppError(
      'STATE_CONFLICT',
      'Another user pays for the active subscription. They must change or end it first.',
    );
  return askingProvider(() => changeRunning(ctx, cards, purchase, running));
}

export function requireOffered({ name, offeredUntil }: PlanForSale, now: Date): void {
  if (offeredUntil !== undefined && offeredUntil <= now)
    throw new AppError('VALIDATION_FAILED', `The plan ${name} is no longer offered.`);
}

async function beginSubscription(ctx: Context, cards: CardPayments, purchase: Purchase): Promise<CheckoutUrl> {
  const { plan, price, subscriberId, request: requested } = purchase;
  const priceId = await cards.priceOf({ id: plan.id, name: plan.name, price });
  return withCustomer(ctx, cards, async (customerId) => {
    const bought = { plan_id: plan.id, subscriber_id: subscriberId, price_id: priceId };
    const { row, backUrl } = await keepCheckout(ctx, 'stripe', requested, bought);
    const urls = returnUrls(backUrl);
    const { sessionId, url } = await cards.begin({
      id: row.id,
      customerId,
      item: { priceId },
      ...urls,
      expiresAt: row.expires_at,
    });
    await setSession(ctx.db.system, row.id, sessionId);
    await closeOlder(ctx, cards, purchase, { id: row.id, sessionId });
    return { url };
  });
}

/**
 * Keeps only the newest checkout open: paying two would start two subscriptions. Each request checks after storing its own
 * checkout, so of two that start together at least one sees the other.
 */
async function closeOlder(
  ctx: Context,
  cards: CardPayments,
  { plan, subscriberId }: Purchase,
  own: { id: string; sessionId: string },
): Promise<void> {
  const now = ctx.clock();
  const all = await selectOpenCheckouts(ctx.db.system, subscriberId, now);
  const [newest, ...older] = all.filter(({ plan_id }) => plan.audience === 'organization' || plan_id === plan.id);
  for (const { id, session_id } of older) {
    if (session_id !== null && (await cards.expire(session_id)) === 'done') {
      await cards.expire(own.sessionId);
      await enqueue(ctx.db.system, syncPayment, { kind: 'checkout', id: session_id }, { key: session_id });
      throw new AppError('STATE_CONFLICT', 'A payment for this subscriber is being processed. Try again shortly.');
    }
    await useCheckout(ctx.db.system, id, now);
  }
  if (newest !== undefined && newest.id !== own.id)
    throw new AppError(
      'STATE_CONFLICT',
      'Another checkout for this subscriber was started at the same time. Use that one.',
    );
}

/** Returns where the buyer of an active subscription goes: it is never sold twice, but kept, resumed or changed. */
async function changeRunning(
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
  // A failed payment is fixed on the same page.
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
  { plan, price, subscriberId, request: requested }: Purchase,
  running: SubscriptionRow,
): Promise<CheckoutUrl> {
  const priceId = await cards.priceOf({ id: plan.id, name: plan.name, price });
  const { backUrl } = await keepCheckout(ctx, 'stripe', requested, {
    plan_id: plan.id,
    subscriber_id: subscriberId,
    subscription_id: running.id,
    price_id: priceId,
  });
  const doneUrl = `${backUrl}&sessionId=${running.id}`;
  return cards.change({ subscriptionId: running.id, priceId, doneUrl, returnUrl: backUrl });
}
