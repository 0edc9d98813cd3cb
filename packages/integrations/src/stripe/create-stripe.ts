import { distinct, listOf } from '@latchkey/adapter-kit';
import {
  type BillingPeriod,
  type CardPayments,
  type Charge,
  type Dispute,
  type PaidSubscription,
  type Payment,
  type PaymentEvent,
  type PaymentSubject,
  PaymentsRefused,
  type PlanPrice,
} from '@latchkey/core/ports';
import { type Clock, T, text } from '@latchkey/kernel';
import { validatorOf } from '@latchkey/kernel/validate';
import Stripe from 'stripe';
import { asking, unlessMissing } from './asking.ts';
import {
  checkCharge,
  checkDispute,
  checkInvoice,
  checkInvoicePayment,
  checkRefund,
  checkSubscription,
} from './check-objects.ts';
import { beginCheckout, expireCheckout, readCheckout } from './checkouts.ts';
import { checkoutKey, dateOf, idOf, planKey, seconds } from './values.ts';

export interface StripeOptions {
  secretKey: string;
  webhookSecret: string;
  clock: Clock;
  /** A URL other than Stripe's own, for tests. */
  url?: string;
  timeoutMs?: number;
  fetch: typeof globalThis.fetch;
}

/** Creates card payments through Stripe, with its official library. */
export function createStripe(options: StripeOptions): CardPayments {
  const { secretKey, webhookSecret, clock, url, timeoutMs = 15_000, fetch } = options;
  const stripe = new Stripe(secretKey, {
    ...addressOf(url),
    timeout: timeoutMs,
    maxNetworkRetries: 2,
    telemetry: false,
    httpClient: Stripe.createFetchHttpClient(fetch),
  });
  return {
    createCustomer: (key) =>
      asking(async () => (await stripe.customers.create({}, { idempotencyKey: `customer:${key}` })).id),
    forgetCustomer: (id) => asking(async () => void (await unlessMissing(stripe.customers.del(id)))),
    mailboxOf: (id) => asking(() => readMailbox(stripe, id)),
    priceOf: (plan) => asking(() => findOrCreatePrice(stripe, plan)),
    begin: (request) => asking(() => beginCheckout(stripe, request, clock())),
    expire: (sessionId) => asking(() => expireCheckout(stripe, sessionId)),
    change: (request) => asking(() => openChange(stripe, request)),
    portal: (customerId, returnUrl) => asking(() => openPortal(stripe, customerId, returnUrl)),
    cancel: (id, on) => asking(() => cancelSubscription(stripe, id, on)),
    resume: (id) => asking(() => resumeSubscription(stripe, id)),
    end: (id, { isCredited = false } = {}) => asking(() => endSubscription(stripe, id, isCredited)),
    subscription: (id) => asking(() => readSubscription(stripe, id)),
    checkout: (sessionId) => asking(() => readCheckout(stripe, sessionId)),
    invoice: (id) => asking(() => readInvoice(stripe, id)),
    charge: (id) => asking(() => readCharge(stripe, id)),
    readEvent: (body, signature, now) => readStripeEvent(stripe, { body, signature, secret: webhookSecret, now }),
  };
}

async function readMailbox(stripe: Stripe, id: string): Promise<string | undefined> {
  const found = await unlessMissing(stripe.customers.retrieve(id));
  return found === undefined || found.deleted ? undefined : (found.email ?? undefined);
}

function addressOf(url: string | undefined): Stripe.StripeConfig {
  if (url === undefined) return {};
  const { hostname, port, protocol } = new URL(url);
  const isPlain = protocol === 'http:';
  return { host: hostname, port: port || (isPlain ? 80 : 443), protocol: isPlain ? 'http' : 'https' };
}

/** How far a message's time may be from now. Stripe's library checks only for old messages. */
const toleranceSeconds = 300;

/** What each type of event is about. Others change nothing here. */
const subjects: readonly [pattern: RegExp, kind: PaymentSubject['kind']][] = [
  [/^customer\.subscription\./, 'subscription'],
  [/^checkout\.session\.(completed|async_payment_succeeded|async_payment_failed|expired)$/, 'checkout'],
  [/^invoice\.(paid|payment_succeeded|payment_failed|voided|marked_uncollectible)$/, 'invoice'],
  [/^charge\.(refunded|refund\.updated|dispute\.\w+)$/, 'charge'],
];

/** The fields of an event that are used. Stripe adds fields at any time, so unknown fields pass. */
const EventBody = T.Object({
  id: text('The id of the event.', { minLength: 1, maxLength: 255 }),
  type: text('What happened.', { minLength: 1, maxLength: 255 }),
  created: T.Integer({ minimum: 0, maximum: 8_640_000_000_000 }),
});
const readBody = validatorOf(EventBody, { what: 'The event', unknownFields: 'ignore' });

interface SignedMessage {
  body: Uint8Array;
  signature: string;
  secret: string;
  now: Date;
}

/**
 * Parses a Stripe webhook; undefined for a wrong signature or an old message. Throws VALIDATION_FAILED for a signed message that is not an
 * event: a 4xx makes Stripe send it again and notify its owner.
 */
function readStripeEvent(stripe: Stripe, { body, signature, secret, now }: SignedMessage): PaymentEvent | undefined {
  const nowSeconds = Math.floor(now.getTime() / 1000);
  const sentAt = Number(/(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature)?.[1]);
  if (!(Math.abs(nowSeconds - sentAt) <= toleranceSeconds)) return undefined;
  let event: Stripe.Event;
  try {
    const text = Buffer.from(body);
    event = stripe.webhooks.constructEvent(text, signature, secret, toleranceSeconds, undefined, now.getTime());
  } catch (error) {
    // Signed with Stripe's secret, but not JSON: treated as not signed.
    if (error instanceof Stripe.errors.StripeSignatureVerificationError || error instanceof SyntaxError)
      return undefined;
    throw error;
  }
  const { id, type, created } = readBody(event);
  return { id, type, at: new Date(created * 1000), subject: subjectOf(event) };
}

function subjectOf(event: Stripe.Event): PaymentSubject | undefined {
  const kind = subjects.find(([pattern]) => pattern.test(event.type))?.[1];
  const { id: own, object, charge } = Object(event.data?.object);
  // Disputes and refunds are about their charge.
  const id = kind === 'charge' && object !== 'charge' ? charge : own;
  return kind !== undefined && typeof id === 'string' && id.length > 0 && id.length <= 255 ? { kind, id } : undefined;
}

async function readSubscription(stripe: Stripe, id: string): Promise<PaidSubscription | undefined> {
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
    paymentState: paymentStateOf(found.status),
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

function paymentStateOf(status: Stripe.Subscription['status']): PaidSubscription['paymentState'] {
  if (status === 'active' || status === 'trialing') return 'paid';
  return status === 'past_due' ? 'late' : 'ended';
}

/** Ends a subscription with its period, or later. One that is already due to end stays unchanged. */
async function cancelSubscription(stripe: Stripe, id: string, on: Date): Promise<void> {
  const found = await stripe.subscriptions.retrieve(id);
  checkSubscription(found);
  if (hasEnded(found) || found.cancel_at !== null) return;
  const isLater = seconds(on) > periodEnd(found);
  await stripe.subscriptions.update(
    id,
    isLater ? { cancel_at: seconds(on), proration_behavior: 'none' } : { cancel_at_period_end: true },
  );
}

async function resumeSubscription(stripe: Stripe, id: string): Promise<void> {
  const found = await stripe.subscriptions.retrieve(id);
  checkSubscription(found);
  if (hasEnded(found) || found.cancel_at === null) return;
  await stripe.subscriptions.update(
    id,
    found.cancel_at_period_end ? { cancel_at_period_end: false } : { cancel_at: '' },
  );
}

async function endSubscription(stripe: Stripe, id: string, isCredited: boolean): Promise<void> {
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

const intervals = { monthly: 'month', yearly: 'year' } as const;

interface SoldPlan {
  id: string;
  name: string;
  price: PlanPrice;
}

/** Returns the id of a plan's price at Stripe. It is found by a descriptive lookup key, and created if missing. */
async function findOrCreatePrice(stripe: Stripe, plan: SoldPlan): Promise<string> {
  const { billingPeriod, amount, currency, priceId } = plan.price;
  if (priceId !== undefined) return checkPrice(stripe, plan, priceId);
  const name = `latchkey_${plan.id}_${billingPeriod}_${currency}_${amount}`;
  const { data } = await stripe.prices.list({ lookup_keys: [name], active: true, limit: 1 });
  if (data[0] !== undefined) return data[0].id;
  const product = await findOrCreateProduct(stripe, plan);
  const made = await stripe.prices.create(
    {
      product,
      currency,
      unit_amount: amount,
      recurring: { interval: intervals[billingPeriod] },
      lookup_key: name,
      transfer_lookup_key: true,
      metadata: { [planKey]: plan.id },
    },
    { idempotencyKey: `price:${product}:${name}` },
  );
  return made.id;
}

/** Returns the billing period of a price; undefined for a period in which plans are not sold. */
function periodOf(price: Stripe.Price): BillingPeriod | undefined {
  const { interval, interval_count: count } = price.recurring ?? {};
  if (interval === 'month') return count === 1 ? 'monthly' : count === 12 ? 'yearly' : undefined;
  return interval === 'year' && count === 1 ? 'yearly' : undefined;
}

/** A price that the operator created must match the plan: yearly prices must not be charged monthly. */
async function checkPrice(stripe: Stripe, { name, price: wanted }: SoldPlan, priceId: string): Promise<string> {
  const price = await stripe.prices.retrieve(priceId);
  const isSame =
    periodOf(price) === wanted.billingPeriod &&
    price.currency === wanted.currency &&
    (wanted.amount === 0 || price.unit_amount === wanted.amount);
  if (!isSame)
    throw new PaymentsRefused(
      `The price ${priceId} at Stripe is not the price of the plan ${name} (${wanted.amount} ${wanted.currency}, ${wanted.billingPeriod}).`,
    );
  return priceId;
}

async function findOrCreateProduct(stripe: Stripe, { id, name }: SoldPlan): Promise<string> {
  const productId = `latchkey_${id}`;
  const found = await unlessMissing(stripe.products.retrieve(productId));
  if (found === undefined) {
    await stripe.products.create({ id: productId, name, metadata: { [planKey]: id } }).catch(unlessThere);
  } else if (found.name !== name || !found.active) {
    await stripe.products.update(productId, { name, active: true });
  }
  return productId;
}

/** Ignores the error of a price that a concurrent request created. */
function unlessThere(error: unknown): void {
  if (!(error instanceof Stripe.errors.StripeInvalidRequestError) || error.code !== 'resource_already_exists')
    throw error;
}

const offersKey = 'latchkey_offers';

/** Opens a page that shows a customer their subscription, cards and invoices. */
async function openPortal(stripe: Stripe, customer: string, returnUrl: string): Promise<{ url: string }> {
  const configuration = await findOrCreateConfiguration(stripe, undefined);
  const { url } = await stripe.billingPortal.sessions.create({ customer, configuration, return_url: returnUrl });
  return { url };
}

interface Change {
  subscriptionId: string;
  priceId: string;
  doneUrl: string;
  returnUrl: string;
}

/** Opens the page on which a customer confirms another price. It shows what is due now, and changes nothing until confirmed. */
async function openChange(stripe: Stripe, change: Change): Promise<{ url: string }> {
  const { subscriptionId, priceId, doneUrl, returnUrl } = change;
  const subscription = await stripe.subscriptions.retrieve(subscriptionId);
  const [item] = subscription.items.data;
  if (item === undefined) throw new PaymentsRefused('The subscription has no item to change.');
  const configuration = await findOrCreateConfiguration(stripe, await stripe.prices.retrieve(priceId));
  const { url } = await stripe.billingPortal.sessions.create({
    customer: idOf(subscription.customer),
    configuration,
    return_url: returnUrl,
    flow_data: {
      type: 'subscription_update_confirm',
      after_completion: { type: 'redirect', redirect: { return_url: doneUrl } },
      subscription_update_confirm: {
        subscription: subscriptionId,
        items: [{ id: item.id, price: priceId, quantity: 1 }],
      },
    },
  });
  return { url };
}

/**
 * Finds or creates what the page allows. Subscriptions are canceled here and not there, because a plan can have a minimum number of months;
 * changes are offered one at a time, by the server.
 */
async function findOrCreateConfiguration(stripe: Stripe, offered: Stripe.Price | undefined): Promise<string> {
  const offers = offered?.id ?? 'none';
  const known = await stripe.billingPortal.configurations
    .list({ active: true, limit: 100 })
    .autoPagingToArray({ limit: 1000 });
  const found = known.find(({ metadata }) => metadata?.[offersKey] === offers);
  if (found !== undefined) return found.id;
  const made = await stripe.billingPortal.configurations.create(
    {
      features: {
        customer_update: { enabled: true, allowed_updates: ['email', 'name', 'address', 'tax_id'] },
        invoice_history: { enabled: true },
        payment_method_update: { enabled: true },
        subscription_cancel: { enabled: false },
        ...(offered && {
          subscription_update: {
            enabled: true,
            default_allowed_updates: ['price'],
            proration_behavior: 'always_invoice',
            products: [{ product: idOf(offered.product), prices: [offered.id] }],
          },
        }),
      },
      metadata: { [offersKey]: offers },
    },
    { idempotencyKey: `portal:${offers}` },
  );
  return made.id;
}

const mostPerCharge = 1000;

/** Returns a card payment with all its refunds. */
async function readCharge(stripe: Stripe, id: string): Promise<Charge | undefined> {
  const charge = await unlessMissing(stripe.charges.retrieve(id));
  if (charge === undefined) return undefined;
  checkCharge(charge);
  const [refunds, disputes, invoice] = await Promise.all([
    stripe.refunds.list({ charge: id, limit: 100 }).autoPagingToArray({ limit: mostPerCharge }),
    stripe.disputes.list({ charge: id, limit: 100 }).autoPagingToArray({ limit: mostPerCharge }),
    findInvoice(stripe, charge),
  ]);
  refunds.forEach(checkRefund);
  disputes.forEach(checkDispute);
  const subscriptionId = invoice?.subscriptionId;
  return {
    id,
    isRefunded: charge.refunded,
    invoiceId: invoice?.id,
    subscriptionId,
    refunds: distinct(refunds, ({ id: own }) => own)
      .filter(({ status }) => status === 'succeeded')
      .map((refund) => movement({ ...refund, amount: -refund.amount }, subscriptionId)),
    disputes: distinct(disputes, ({ id: own }) => own).map((dispute) => readDispute(dispute, subscriptionId)),
  };
}

async function readInvoice(
  stripe: Stripe,
  id: string,
): Promise<{ id: string; subscriptionId?: string; payment?: Payment } | undefined> {
  const invoice = await unlessMissing(stripe.invoices.retrieve(id));
  if (invoice === undefined) return undefined;
  checkInvoice(invoice);
  const subscription = invoice.parent?.subscription_details?.subscription;
  const of = subscription === undefined ? {} : { subscriptionId: idOf(subscription) };
  const at = invoice.status_transitions.paid_at;
  const { amount_paid: amount, currency } = invoice;
  return { id, ...of, ...(at !== null && amount > 0 && { payment: { id, amount, currency, at: dateOf(at), ...of } }) };
}

async function findInvoice(stripe: Stripe, charge: Stripe.Charge) {
  if (charge.payment_intent === null) return undefined;
  const intent = idOf(charge.payment_intent);
  const { data } = await stripe.invoicePayments.list({
    payment: { type: 'payment_intent', payment_intent: intent },
    limit: 1,
  });
  const [payment] = listOf(data, 'the payments of an invoice').map(checkInvoicePayment);
  return payment === undefined ? undefined : readInvoice(stripe, payment);
}

function readDispute(dispute: Stripe.Dispute, subscriptionId: string | undefined): Dispute {
  const { id, amount, currency, status, balance_transactions } = dispute;
  return {
    id,
    amount,
    currency,
    status,
    outcome: outcomeOf(status),
    movements: distinct(balance_transactions, ({ id: own }) => own).map((transaction) =>
      movement(transaction, subscriptionId),
    ),
  };
}

// An inquiry (warning_…) does not withdraw money yet.
function outcomeOf(status: Stripe.Dispute['status']): Dispute['outcome'] {
  if (status === 'lost') return 'lost';
  return status === 'needs_response' || status === 'under_review' ? 'open' : 'won';
}

function movement(
  { id, amount, currency, created }: { id: string; amount: number; currency: string; created: number },
  subscriptionId: string | undefined,
): Payment {
  return { id, amount, currency, at: dateOf(created), ...(subscriptionId && { subscriptionId }) };
}
