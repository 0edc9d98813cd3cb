import assert from 'node:assert/strict';
import { createLocks } from '@latchkey/chains/evm-locks';
import { contextFor, jobKinds } from '@latchkey/core';
import { alice, type TestPlatform, testPlatform } from '@latchkey/core/testing';
import { sql, startWorker, type Worker } from '@latchkey/db';
import { type DevChain, startDevChain } from '@latchkey/emulators/evm-chain';
import { type StripeEmulator, type StripeEvent, startStripeEmulator } from '@latchkey/emulators/stripe';
import { createStripe } from '@latchkey/integrations/stripe';
import { principalId } from '@latchkey/kernel';
import { until } from '@latchkey/test-kit';
import { served } from '../harness/served.ts';

export const bob = { ...alice, userId: 'DIS#USER#200' } as const;
export const daySeconds = 24 * 60 * 60;

export type PaymentsWorld = ReturnType<typeof paymentsWorld>;

/** A platform that sells plans with a Stripe emulator and locks, and the actions of buyers and the provider. */
export function paymentsWorld() {
  let t: TestPlatform;
  let stripe: StripeEmulator;
  let chain: DevChain;
  let worker: Worker;
  const open = async () => {
    t = await testPlatform('payments');
    stripe = await startStripeEmulator({ now: () => Math.floor(t.services.clock().getTime() / 1000) });
    chain = await startDevChain();
    const { secretKey, webhookSecret, url } = stripe;
    t.services.cards = createStripe({ fetch, secretKey, webhookSecret, url, clock: t.services.clock });
    t.services.settings.selling = { isOn: true };
    const rpcUrlsOf = (id: string) => (id === String(chain.chainId) ? [chain.url] : []);
    t.services.locks = createLocks({
      fetch,
      checkoutUrl: 'https://locks.test/checkout',
      rpcUrlsOf,
      timeoutMs: 180_000,
    });
    worker = startWorker({
      db: t.services.db,
      kinds: jobKinds,
      log: t.services.log,
      random: t.services.random,
      makeContext: (kind) => contextFor(t.services, { kind: 'system', job: kind.name }),
      validate: () => undefined,
      concurrency: 4,
      leaseSeconds: 30,
    });
    const usd = { currency: 'usd' } as const;
    const monthly = { billingPeriod: 'monthly', amount: 1799, ...usd };
    const yearly = { billingPeriod: 'yearly', amount: 12_000, ...usd };
    const body = { audience: 'organization', name: 'Paid', minBuyMonths: 3 };
    await save('paid', { ...body, prices: [monthly, yearly, { ...monthly, currency: 'eur' }] });
    await save('large', { ...body, name: 'Large', prices: [{ ...yearly, amount: 50_000 }] });
    await save('broken', { ...body, name: 'broken', prices: [{ ...yearly, priceId: 'price_gone' }] });
    const community = { audience: 'community', name: 'Community', checkPeriodSeconds: 86_400 };
    await save('community', { ...community, prices: [{ ...monthly, amount: 900 }] });
  };
  const close = async () => {
    await worker?.stop(5000);
    await Promise.all([stripe?.stop(), chain?.stop(), t?.close()]);
  };

  // Verbs are called as the pipeline calls them, so that the test imports no file of the feature.
  const verbs = new Map(served.map((operation) => [operation.contract.id, operation]));
  const call = (id: string, actor: typeof alice, input: object): Promise<Record<string, string>> =>
    Reflect.apply(verbs.get(id)?.verb as never, undefined, [t.as(actor), input]);
  const save = (planId: string, body: object) => call('saveSubscriptionPlan', alice, { planId, body });
  const checkout = async (id: string, planId: string, body: object, actor = alice) =>
    (await call(id, actor, { planId, body: { state: { cart: 1 }, ...body } })).url ?? '';
  const sessionOf = (url: string) => url.split('/').at(-1) ?? '';
  const lastSubscription = () => {
    const subscription = [...stripe.state.subscriptions.values()].at(-1);
    assert.ok(subscription);
    return subscription;
  };
  const buyPaid = async (organizationId: string, actor = alice) => {
    stripe.pay(sessionOf(await checkout('generateStripeCheckoutUrl', 'paid', { organizationId }, actor)));
    await deliverAll();
    return lastSubscription();
  };
  /** Returns the status of the return from the provider. */
  const statusOf = async (address: string) => {
    const input = Object.fromEntries(new URL(address).searchParams);
    return new URL((await call('stripeCallback', alice, input)).location ?? '').searchParams.get('status');
  };

  async function newOrganization(owner = alice): Promise<string> {
    const id = t.services.random.id(21);
    const now = t.services.clock();
    const row = { id, created_by_id: principalId(owner), name: id, email: `${id}@example.org`, plan_id: 'free' };
    const times = { created_at: now, code_requested_at: now, verified_at: now };
    await t.services.db.system
      .insertInto('organizations')
      .values({ ...row, ...times })
      .execute();
    return id;
  }
  const planOf = async (id: string) =>
    (await t.services.db.system.selectFrom('organizations').select('plan_id').where('id', '=', id).executeTakeFirst())
      ?.plan_id;
  const ledger = async () => {
    const { rows } = await sql<{ id: string; amount: number }>`select id, amount from payment_ledger`.execute(
      t.services.db.system,
    );
    return new Map(rows.map(({ id, amount }) => [id, amount]));
  };

  const deliver = async (event: StripeEvent, options: { secret?: string; at?: number } = {}) => {
    const { body, signature } = stripe.sign(event, options);
    return call('stripeWebhook', alice, { 'Stripe-Signature': signature, body: Buffer.from(body) });
  };
  const settled = () =>
    until('the provider’s messages were processed', async () => {
      const { rows } = await sql`select 1 from jobs where name like 'payments.%'`.execute(t.services.db.system);
      return rows.length === 0;
    });
  const checkAgain = async () => {
    const look = jobKinds.find(({ name }) => name === 'payments.check-keys');
    await look?.run(
      contextFor(t.services, { kind: 'system', job: 'test' }),
      {},
      { id: '1', attempt: 1, signal: new AbortController().signal },
    );
    await settled();
  };
  const deliverAll = async () => {
    for (const event of stripe.state.events.splice(0)) await deliver(event);
    await settled();
  };

  return {
    get t() {
      return t;
    },
    get stripe() {
      return stripe;
    },
    get chain() {
      return chain;
    },
    open,
    close,
    call,
    save,
    checkout,
    sessionOf,
    lastSubscription,
    buyPaid,
    statusOf,
    newOrganization,
    planOf,
    ledger,
    deliver,
    settled,
    checkAgain,
    deliverAll,
  };
}
