import { type CardPayments, type CheckoutRequest, type Payment, PaymentsFailed } from '@latchkey/core/ports';
import type { Clock } from '@latchkey/kernel';
import Stripe from 'stripe';
import { readStripeEvent } from './read-event.ts';

export interface StripeOptions {
  secretKey: string;
  webhookSecret: string;
  clock: Clock;
  /** Another address than Stripe's own, for tests. */
  url?: string;
  timeoutMs?: number;
}

/** The name under which our id of a checkout travels with everything that comes of it. */
const checkoutKey = 'latchkey_checkout';

/** Payments by card through Stripe, with its official library. */
export function createStripe({
  secretKey,
  webhookSecret,
  clock,
  url,
  timeoutMs = 15_000,
}: StripeOptions): CardPayments {
  const stripe = new Stripe(secretKey, {
    ...addressOf(url),
    timeout: timeoutMs,
    maxNetworkRetries: 2,
    telemetry: false,
  });
  return {
    begin: (request) =>
      asking(async () => {
        // The same key again answers with the session that was made the first time.
        const session = await stripe.checkout.sessions.create(sessionFor(request, clock()), {
          idempotencyKey: request.id,
        });
        if (session.url === null) throw new PaymentsFailed('Stripe made a checkout without an address.');
        return { sessionId: session.id, url: session.url };
      }),
    cancel: (id, on, returnUrl) =>
      asking(async () => {
        const subscription =
          on <= clock()
            ? await stripe.subscriptions.cancel(id)
            : await stripe.subscriptions.update(id, { cancel_at: seconds(on), proration_behavior: 'none' });
        const customer = idOf(subscription.customer);
        const { url } = await stripe.billingPortal.sessions.create({ customer, return_url: returnUrl });
        return { url };
      }),
    subscription: (id) =>
      asking(async () => {
        const found = await unlessMissing(stripe.subscriptions.retrieve(id));
        if (found === undefined) return undefined;
        const ends = found.items.data.map((item) => item.current_period_end);
        const cancelOn = found.ended_at ?? found.cancel_at;
        return {
          id: found.id,
          checkoutId: found.metadata[checkoutKey],
          customerId: idOf(found.customer),
          isActive: ['active', 'trialing', 'past_due'].includes(found.status),
          beganAt: dateOf(found.start_date),
          paidUntil: dateOf(Math.max(found.start_date, ...ends)),
          cancelOn: cancelOn === null ? undefined : dateOf(cancelOn),
        };
      }),
    checkout: (sessionId) =>
      asking(async () => {
        const session = await unlessMissing(stripe.checkout.sessions.retrieve(sessionId));
        const checkoutId = session?.metadata?.[checkoutKey];
        if (session === undefined || checkoutId === undefined || session.payment_status === 'unpaid') return undefined;
        const subscriptionId = session.subscription === null ? undefined : idOf(session.subscription);
        const payment = session.payment_intent === null ? undefined : paymentOf(session, checkoutId);
        return { checkoutId, ...(subscriptionId !== undefined && { subscriptionId }), ...(payment && { payment }) };
      }),
    invoice: (id) =>
      asking(async () => {
        const invoice = await unlessMissing(stripe.invoices.retrieve(id));
        if (invoice === undefined) return undefined;
        const subscription = invoice.parent?.subscription_details?.subscription;
        const subscriptionId = subscription === undefined ? undefined : idOf(subscription);
        const at = invoice.status_transitions.paid_at;
        if (at === null || invoice.amount_paid === 0) return subscriptionId === undefined ? {} : { subscriptionId };
        const { amount_paid: amount, currency } = invoice;
        const payment: Payment = { id, amount, currency, at: dateOf(at), ...(subscriptionId && { subscriptionId }) };
        return { payment, ...(subscriptionId && { subscriptionId }) };
      }),
    refunds: (charge) =>
      asking(async () => {
        const refunds = await stripe.refunds.list({ charge, limit: 100 }).autoPagingToArray({ limit: 1000 });
        return refunds
          .filter(({ status }) => status === 'succeeded')
          .map(({ id, amount, currency, created }) => ({ id, amount: -amount, currency, at: dateOf(created) }));
      }),
    readEvent: (body, signature, now) => readStripeEvent(stripe, { body, signature, secret: webhookSecret, now }),
  };
}

function sessionFor(request: CheckoutRequest, now: Date): Stripe.Checkout.SessionCreateParams {
  const { title, price, priceId, recurring, confirmationMessage, expiresAt } = request;
  const metadata = { [checkoutKey]: request.id };
  const priceData = {
    currency: price.currency,
    unit_amount: price.amount,
    product_data: { name: title },
    ...(recurring && { recurring: { interval: 'month' as const } }),
  };
  // Stripe keeps a checkout open for 24 hours at most, and counts from when it gets the request.
  const latest = new Date(now.getTime() + (24 * 60 - 1) * 60_000);
  return {
    mode: recurring ? 'subscription' : 'payment',
    line_items: [priceId === undefined ? { quantity: 1, price_data: priceData } : { quantity: 1, price: priceId }],
    success_url: request.successUrl,
    cancel_url: request.cancelUrl,
    expires_at: seconds(expiresAt < latest ? expiresAt : latest),
    client_reference_id: request.id,
    metadata,
    ...(recurring ? { subscription_data: { metadata } } : { payment_intent_data: { metadata } }),
    ...(confirmationMessage !== undefined && { custom_text: { submit: { message: confirmationMessage } } }),
  };
}

function paymentOf(session: Stripe.Checkout.Session, checkoutId: string): Payment | undefined {
  if (session.payment_intent === null || session.amount_total === null || session.currency === null) return undefined;
  const { amount_total: amount, currency, created } = session;
  return { id: idOf(session.payment_intent), amount, currency, at: dateOf(created), checkoutId };
}

function addressOf(url: string | undefined): Stripe.StripeConfig {
  if (url === undefined) return {};
  const { hostname, port, protocol } = new URL(url);
  const isPlain = protocol === 'http:';
  return { host: hostname, port: port || (isPlain ? 80 : 443), protocol: isPlain ? 'http' : 'https' };
}

/** What Stripe says when it fails can repeat the request, so only the kind of failure is passed on. */
async function asking<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PaymentsFailed) throw error;
    if (error instanceof Stripe.errors.StripeError)
      throw new PaymentsFailed(`Stripe answered ${error.type}${error.statusCode ? ` (${error.statusCode})` : ''}.`);
    throw error;
  }
}

async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError && error.statusCode === 404) return undefined;
    throw error;
  }
}

function idOf(value: string | { id: string }): string {
  return typeof value === 'string' ? value : value.id;
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}

function dateOf(epochSeconds: number): Date {
  return new Date(epochSeconds * 1000);
}
