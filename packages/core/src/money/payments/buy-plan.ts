import { enqueue } from '@latchkey/db';
import { AppError, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import type { CardPayments, PlanPrice } from '../../ports/index.ts';
import { choosePrice, getPlanForSale, type PlanForSale, requireSelling } from '../plans/index.ts';
import { keepCheckout } from './begin-checkout.ts';
import { changeRunning } from './change-subscription.ts';
import { selectOpenCheckouts, setSession, useCheckout } from './checkout-queries.ts';
import { withCustomer } from './customer.ts';
import { returnUrls } from './donate.ts';
import type { CheckoutUrl, PlanCheckoutRequest, SubscriptionRequest } from './payment-record.ts';
import { askingProvider, notSet } from './provider-errors.ts';
import { findRunning, ownSubscriber } from './subscriber.ts';
import { syncPayment } from './sync.ts';

/** What somebody wants to buy by card, for whom, and where they go on. */
export interface Purchase {
  plan: PlanForSale;
  price: PlanPrice;
  subscriberId: string;
  asked: { state?: Record<string, unknown> | undefined; redirectUri?: string | undefined };
}

/** The address at which a plan is bought by card, at the price that the plan shows first. */
export function generateStripeCheckoutUrl(
  ctx: Context,
  { planId, body }: { planId: string; body: SubscriptionRequest },
): Promise<CheckoutUrl> {
  return buyPlan(ctx, planId, { ...body, subscriberId: body.organizationId });
}

/** The address at which a plan is bought by card, in the billing period and currency of the buyer's choice. */
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
  const purchase = { plan, price: choosePrice(plan, body), subscriberId, asked: body };
  const running = await findRunning(ctx.db.system, plan, subscriberId);
  if (running === undefined) {
    requireOffered(plan, ctx.clock());
    return askingProvider(() => beginSubscription(ctx, cards, purchase));
  }
  if (running.created_by_id !== principalId(ctx.actor))
    throw new AppError(
      'STATE_CONFLICT',
      'Somebody else pays for the running subscription. They must change or end it first.',
    );
  return askingProvider(() => changeRunning(ctx, cards, purchase, running));
}

export function requireOffered({ name, offeredUntil }: PlanForSale, now: Date): void {
  if (offeredUntil !== undefined && offeredUntil <= now)
    throw new AppError('VALIDATION_FAILED', `The plan ${name} is no longer offered.`);
}

async function beginSubscription(ctx: Context, cards: CardPayments, purchase: Purchase): Promise<CheckoutUrl> {
  const { plan, price, subscriberId, asked } = purchase;
  const priceId = await cards.priceOf({ id: plan.id, name: plan.name, price });
  return withCustomer(ctx, cards, async (customerId) => {
    const bought = { plan_id: plan.id, subscriber_id: subscriberId, price_id: priceId };
    const { row, backUrl } = await keepCheckout(ctx, 'stripe', asked, bought);
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
 * Leaves one checkout open, the newest: two that are paid would be two subscriptions. Everybody looks after their own is
 * kept, so of two that are begun together at least one sees the other.
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
      'Another checkout for this subscriber was begun at the same time. Use that one.',
    );
}
