import type { CardPayments } from '@latchkey/core/ports';
import type { Clock } from '@latchkey/kernel';
import Stripe from 'stripe';
import { asking, unlessMissing } from './asking.ts';
import { readCharge, readInvoice } from './charges.ts';
import { beginCheckout, expireCheckout, readCheckout } from './checkouts.ts';
import { openChange, openPortal } from './portal.ts';
import { findOrCreatePrice } from './prices.ts';
import { readStripeEvent } from './read-event.ts';
import { cancelSubscription, endSubscription, readSubscription, resumeSubscription } from './subscriptions.ts';

export interface StripeOptions {
  secretKey: string;
  webhookSecret: string;
  clock: Clock;
  /** Another address than Stripe's own, for tests. */
  url?: string;
  timeoutMs?: number;
  fetch: typeof globalThis.fetch;
}

/** Payments by card through Stripe, with its official library. */
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
