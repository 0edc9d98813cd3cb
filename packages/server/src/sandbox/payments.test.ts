import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listCatalog, savePlan } from '@latchkey/core';
import { testPlatform } from '@latchkey/core/testing';
import { startStripeEmulator } from '@latchkey/emulators/stripe';
import { composePayments } from '../compose/payments.ts';
import { readConfig } from '../config.ts';
import { removeSamplePrices, seedPrices } from './sample-note.ts';
import { sampleStripe, withEmulators } from './with-emulators.ts';

const sampleWorld = { LATCHKEY_SANDBOX: 'true' };
const ownAccount = { LATCHKEY_STRIPE_SECRET_KEY: 'sk_test_mine', LATCHKEY_STRIPE_WEBHOOK_SECRET: 'whsec_mine' };

test('with the sample community card payments use the Stripe emulator, and nothing is sold', async (t) => {
  const config = withEmulators(readConfig(sampleWorld));
  assert.deepEqual([config.stripe.url, config.selling.isOn], ['http://127.0.0.1:3045', false]);
  const emulator = await startStripeEmulator(sampleStripe);
  t.after(emulator.stop);
  const clock = () => new Date();
  const { cards } = await composePayments({ ...config, stripe: { ...config.stripe, url: emulator.url } }, { clock });
  assert.match((await cards?.createCustomer('payer')) ?? '', /^cus_/);
});

test('an operator’s account takes precedence over the emulator, and its prices are for the operator to set', async (t) => {
  const own = readConfig({ ...sampleWorld, ...ownAccount, LATCHKEY_SELL_PLANS: 'true' });
  assert.deepEqual(withEmulators(own).stripe, own.stripe);
  const platform = await testPlatform('own-prices');
  t.after(platform.close);
  await seedPrices(platform.services, own);
  assert.ok((await listCatalog(platform.services)).every(({ prices }) => prices.length === 0));
});

test('once selling is enabled, plans without a price get one until the samples go, and others keep theirs', async (t) => {
  const platform = await testPlatform('sample-prices');
  t.after(platform.close);
  const prices = async () =>
    Object.fromEntries((await listCatalog(platform.services)).map(({ id, prices }) => [id, prices.length]));
  await seedPrices(platform.services, readConfig(sampleWorld));
  assert.deepEqual(await prices(), { community: 0, free: 0, paid: 0, starter: 0 });
  const [paid] = (await listCatalog(platform.services)).filter(({ id }) => id === 'paid');
  assert.ok(paid);
  const { id: planId, ...body } = paid;
  const own = [{ billingPeriod: 'monthly' as const, currency: 'eur', amount: 500 }];
  await savePlan(platform.services, { planId, body: { ...body, prices: own } });
  const selling = readConfig({ ...sampleWorld, LATCHKEY_SELL_PLANS: 'true' });
  await seedPrices(platform.services, selling);
  await seedPrices(platform.services, selling);
  assert.deepEqual(await prices(), { community: 2, free: 0, paid: 1, starter: 0 });
  await removeSamplePrices(platform.services);
  assert.deepEqual(await prices(), { community: 0, free: 0, paid: 1, starter: 0 }, 'without the sample community');
});
