import { type CheckoutRequest, type CheckoutState, type Payment, PaymentsFailed } from '@latchkey/core/ports';
import type Stripe from 'stripe';
import { unlessMissing } from './asking.ts';
import { checkCheckout } from './check-objects.ts';
import { checkoutKey, dateOf, idOf, seconds } from './values.ts';

/** Starts a checkout. The same key returns the checkout that was created first. */
export async function beginCheckout(
  stripe: Stripe,
  request: CheckoutRequest,
  now: Date,
): Promise<{ sessionId: string; url: string }> {
  const session = await stripe.checkout.sessions.create(sessionFor(request, now), { idempotencyKey: request.id });
  if (session.url === null) throw new PaymentsFailed('Stripe created a checkout without a URL.');
  return { sessionId: session.id, url: session.url };
}

/** Closes a checkout that is still open; a completed or expired one stays unchanged, even if that just happened. */
export async function expireCheckout(stripe: Stripe, sessionId: string): Promise<'closed' | 'done'> {
  const read = () => unlessMissing(stripe.checkout.sessions.retrieve(sessionId));
  let session = await read();
  if (session?.status === 'open') {
    try {
      session = await stripe.checkout.sessions.expire(sessionId);
    } catch (error) {
      session = await read();
      if (session?.status === 'open') throw error;
    }
  }
  return session?.status === 'complete' ? 'done' : 'closed';
}

export async function readCheckout(stripe: Stripe, sessionId: string): Promise<CheckoutState | undefined> {
  const session = await unlessMissing(stripe.checkout.sessions.retrieve(sessionId));
  if (session === undefined) return undefined;
  checkCheckout(session);
  const checkoutId = session.metadata?.[checkoutKey];
  const state = stateOf(session);
  if (state !== 'paid') return { state, checkoutId };
  const payment = paymentOf(session, checkoutId);
  return {
    state,
    checkoutId,
    ...(session.subscription !== null && { subscriptionId: idOf(session.subscription) }),
    ...(payment && { payment }),
  };
}

function stateOf({ status, payment_status }: Stripe.Checkout.Session): CheckoutState['state'] {
  if (status === 'expired') return 'expired';
  if (status !== 'complete') return 'open';
  return payment_status === 'unpaid' ? 'pending' : 'paid';
}

function paymentOf(session: Stripe.Checkout.Session, checkoutId: string | undefined): Payment | undefined {
  if (session.payment_intent === null || session.amount_total === null || session.currency === null) return undefined;
  const { amount_total: amount, currency, created } = session;
  return {
    id: idOf(session.payment_intent),
    amount,
    currency,
    at: dateOf(created),
    ...(checkoutId !== undefined && { checkoutId }),
  };
}

function sessionFor(request: CheckoutRequest, now: Date): Stripe.Checkout.SessionCreateParams {
  const { item, customerId, confirmationMessage, expiresAt } = request;
  const metadata = { [checkoutKey]: request.id };
  const isRecurring = 'priceId' in item || item.isMonthly;
  // Stripe keeps a checkout open for at most 24 hours after receiving the request.
  const latest = new Date(now.getTime() + (24 * 60 - 1) * 60_000);
  return {
    mode: isRecurring ? 'subscription' : 'payment',
    line_items: [lineFor(item)],
    success_url: request.successUrl,
    cancel_url: request.cancelUrl,
    expires_at: seconds(expiresAt < latest ? expiresAt : latest),
    client_reference_id: request.id,
    metadata,
    ...(customerId !== undefined && { customer: customerId }),
    ...(isRecurring ? { subscription_data: { metadata } } : { payment_intent_data: { metadata } }),
    ...(confirmationMessage !== undefined && { custom_text: { submit: { message: confirmationMessage } } }),
  };
}

function lineFor(item: CheckoutRequest['item']): Stripe.Checkout.SessionCreateParams.LineItem {
  if ('priceId' in item) return { quantity: 1, price: item.priceId };
  const { title, amount, currency, isMonthly } = item;
  const recurring = isMonthly ? { recurring: { interval: 'month' as const } } : {};
  return {
    quantity: 1,
    price_data: { currency, unit_amount: amount, product_data: { name: title }, ...recurring },
  };
}
