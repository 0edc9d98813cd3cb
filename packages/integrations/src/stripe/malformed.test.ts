import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { PaymentsFailed } from '@latchkey/core/ports';
import { startStripeEmulator } from '@latchkey/emulators/stripe';
import { patientMs } from '@latchkey/emulators/testing';
import { fuzzAnswers, startAnswerProxy, volume } from '@latchkey/test-kit';
import { createStripe } from './index.ts';

// Stripe sends null for empty values. Our ids are part of the metadata, and a list has no more pages unless it says so.
const nullable = [
  'cancel_at',
  'ended_at',
  'latest_invoice',
  'payment_intent',
  'amount_total',
  'subscription',
  'parent',
];
const ours = ['latchkey_checkout', 'latchkey_plan', 'metadata'];
const optional = [...nullable, ...ours, 'subscription_details', 'unit_amount', 'recurring', 'currency', 'has_more'];

/** Creates a customer who paid, was partly refunded and disputes the rest. */
async function start(t: TestContext) {
  const now = new Date('2026-01-31T12:00:00Z');
  const emulator = await startStripeEmulator({ now: () => now.getTime() / 1000 });
  t.after(() => emulator.stop());
  const proxy = await startAnswerProxy(emulator.url);
  t.after(() => proxy.stop());
  const { secretKey, webhookSecret } = emulator;
  const cards = createStripe({
    fetch,
    secretKey,
    webhookSecret,
    url: proxy.url,
    clock: () => now,
    timeoutMs: patientMs,
  });
  const customerId = await cards.createCustomer('payer');
  const price = { billingPeriod: 'monthly', amount: 1000, currency: 'usd' } as const;
  const priceId = await cards.priceOf({ id: 'gold', name: 'Gold', price });
  const expiresAt = new Date(now.getTime() + 24 * 60 * 60_000);
  const back = { successUrl: 'https://latchkey.test/done', cancelUrl: 'https://latchkey.test/back' };
  const { sessionId } = await cards.begin({ id: 'c1', ...back, expiresAt, customerId, item: { priceId } });
  emulator.pay(sessionId, { email: 'payer@example.org' });
  const subscriptionId = (await cards.checkout(sessionId))?.subscriptionId ?? '';
  const invoiceId = (await cards.subscription(subscriptionId))?.latestInvoiceId ?? '';
  emulator.refund(invoiceId, 500);
  emulator.dispute(invoiceId, 'needs_response');
  const chargeId = emulator.state.invoices.get(invoiceId)?.charge ?? '';
  return { proxy, cards, sessionId, subscriptionId, invoiceId, chargeId };
}

test('however Stripe’s response is corrupted, what was paid is right or unknown', async (t) => {
  const { proxy, cards, sessionId, subscriptionId, invoiceId, chargeId } = await start(t);
  const reads: Record<string, () => Promise<unknown>> = {
    subscription: () => cards.subscription(subscriptionId),
    checkout: () => cards.checkout(sessionId),
    invoice: () => cards.invoice(invoiceId),
    charge: () => cards.charge(chargeId),
  };
  for (const [name, read] of Object.entries(reads))
    await fuzzAnswers<unknown>({
      name: `stripe ${name}`,
      rounds: volume(40, 2_000),
      intercept: proxy.intercept,
      read: () =>
        read().catch((error: unknown) => {
          if (error instanceof PaymentsFailed) return 'unknown';
          throw error;
        }),
      isRight: (got, truth) => got === 'unknown' || isDeepStrictEqual(got, truth),
      optional,
    });
});
