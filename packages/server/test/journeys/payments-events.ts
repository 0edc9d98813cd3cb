import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCommunity } from '@latchkey/core';
import { alice } from '@latchkey/core/testing';
import { sql } from '@latchkey/db';
import { seed } from '@latchkey/test-kit';
import { throwDice } from '../harness/dice.ts';
import { bob, daySeconds, type PaymentsWorld } from './payments-world.ts';

/** What follows from the provider's events. */
export function testEvents(world: PaymentsWorld): void {
  const { call, checkout, sessionOf, newOrganization, planOf, ledger, deliver, settled, deliverAll } = world;

  test('a plan starts with its payment and ends with the payments, but not before the minimum number of months', async () => {
    const organizationId = await newOrganization();
    const redirectUri = 'http://latchkey.test/after?x=1';
    const url = await checkout('generateStripeCheckoutUrl', 'paid', { organizationId, redirectUri });
    assert.equal(await planOf(organizationId), 'free');
    const back = new URL(world.stripe.pay(sessionOf(url)));
    assert.equal(back.pathname, '/stripe/callback');
    const { location = '' } = await call('stripeCallback', alice, Object.fromEntries(back.searchParams));
    const onward = new URL(location);
    assert.equal(`${onward.origin}${onward.pathname}`, 'http://latchkey.test/after');
    assert.equal(onward.searchParams.get('status'), 'success');
    assert.deepEqual(await call('getState', alice, { slug: onward.searchParams.get('slug') }), { cart: 1 });
    await deliverAll();
    assert.equal(await planOf(organizationId), 'paid');

    const subscription = [...world.stripe.state.subscriptions.values()].at(-1);
    assert.ok(subscription);
    const { url: portal } = await call('unsubscribe', alice, {
      planId: 'PLAN#paid',
      subscriberId: organizationId,
    });
    assert.match(portal ?? '', /\/portal\//);
    const began = new Date(subscription.startDate * 1000);
    const least = new Date(began);
    least.setUTCMonth(began.getUTCMonth() + 3);
    assert.equal(subscription.cancelAt, least.getTime() / 1000);
    await deliverAll();
    assert.equal(await planOf(organizationId), 'paid');
    world.stripe.end(subscription.id);
    await deliverAll();
    assert.equal(await planOf(organizationId), 'free');
    const invoice = [...world.stripe.state.invoices.values()].at(-1);
    assert.equal((await ledger()).get(invoice?.id ?? ''), 1799);
  });

  test('events that arrive twice, late, in any order or from a stranger lead to the right plan and totals', async () => {
    const dice = throwDice(seed('payments'));
    world.t.services.settings.selling = { isOn: true, graceDays: 10_000 };
    for (let round = 0; round < 12; round++) {
      const organizationId = await newOrganization();
      world.stripe.pay(sessionOf(await checkout('generateStripeCheckoutUrl', 'paid', { organizationId })));
      const subscription = [...world.stripe.state.subscriptions.values()].at(-1);
      assert.ok(subscription);
      const renewals = dice.below(4);
      for (let n = 0; n < renewals; n++) world.stripe.renew(subscription.id, { fails: dice.chance(0.3) });
      const [invoice] = [...world.stripe.state.invoices.values()].filter(
        ({ subscription: id }) => id === subscription.id,
      );
      if (dice.chance(0.5) && invoice) world.stripe.refund(invoice.id, 500);
      const hasEnded = dice.chance(0.5);
      if (hasEnded) world.stripe.end(subscription.id);
      const events = world.stripe.state.events.splice(0);
      const sent = [...events, ...events.filter(() => dice.chance(0.5))]
        .map((event) => ({ event, place: dice.below(1000) }))
        .sort((one, other) => one.place - other.place)
        .map(({ event }) => event);
      for (const event of sent) {
        await assert.rejects(deliver(event, { secret: 'whsec_of_another' }), { code: 'INVALID_CREDENTIAL' });
        if (dice.chance(0.25)) world.t.advanceSeconds(2 * daySeconds);
        await deliver(event);
      }
      await settled();
      assert.equal(await planOf(organizationId), hasEnded ? 'free' : 'paid', `round ${round}`);
      const sums = await ledger();
      for (const { id, subscription: of, amountPaid } of world.stripe.state.invoices.values())
        if (of === subscription.id) assert.equal(sums.get(id) ?? 0, amountPaid);
    }
    const sums = await ledger();
    for (const { id, amount } of world.stripe.state.refunds) assert.equal(sums.get(id), -amount);
    const { rows } = await sql`select sum(amount)::int as total from payment_ledger`.execute(
      world.t.services.db.system,
    );
    const paid = [...world.stripe.state.invoices.values()].reduce((sum, invoice) => sum + invoice.amountPaid, 0);
    const refunded = world.stripe.state.refunds.reduce((sum, refund) => sum + refund.amount, 0);
    assert.deepEqual(rows, [{ total: paid - refunded }]);
    world.t.services.settings.selling = { isOn: true };
  });

  test('a message of another time is refused, whether old or from the future, and so is a changed one', async () => {
    const organizationId = await newOrganization();
    world.stripe.pay(sessionOf(await checkout('generateStripeCheckoutUrl', 'paid', { organizationId })));
    const [event] = world.stripe.state.events;
    assert.ok(event);
    const now = Math.floor(world.t.services.clock().getTime() / 1000);
    for (const at of [now - 301, now + 301])
      await assert.rejects(deliver(event, { at }), { code: 'INVALID_CREDENTIAL' });
    const { body, signature } = world.stripe.sign(event);
    const wrong = [
      { body: body.replace('usd', 'eur'), signature },
      { body, signature: signature.replace('v1=', 'v0=') },
      { body, signature: 'nonsense' },
      { body: '', signature },
    ];
    for (const { body, signature } of wrong) {
      const sending = call('stripeWebhook', alice, { 'Stripe-Signature': signature, body: Buffer.from(body) });
      await assert.rejects(sending, { code: 'INVALID_CREDENTIAL' });
    }
    await deliverAll();
    assert.equal(await planOf(organizationId), 'paid');
  });

  test('a community plan is bought for a community by one of its admins', async () => {
    const communityId = '7700000000000000001';
    world.t.host.addCommunity(communityId, []);
    world.t.host.addAdmin(communityId, '100');
    await createCommunity(world.t.as(alice), { body: { communityId, platform: 'discord', name: 'Paying' } });
    const body = { organizationId: `DIS#COMM#${communityId}` };
    await assert.rejects(checkout('generateStripeCheckoutUrl', 'community', body, bob), { code: 'ENTITY_NOT_FOUND' });
    world.stripe.pay(sessionOf(await checkout('generateStripeCheckoutUrl', 'community', body)));
    await deliverAll();
    const plans = async () =>
      (
        await world.t.services.db.system.selectFrom('community_plans').select('plan_id').orderBy('plan_id').execute()
      ).map(({ plan_id }) => plan_id);
    assert.deepEqual(await plans(), ['community', 'starter']);
    const subscription = [...world.stripe.state.subscriptions.values()].at(-1);
    world.stripe.end(subscription?.id ?? '');
    await deliverAll();
    assert.deepEqual(await plans(), ['starter']);
  });

  test('donations are counted once and grant nothing', async () => {
    const { url = '' } = await call('generateDonationLink', alice, {
      body: { price: 1234, confirmationMessage: 'Thanks' },
    });
    world.stripe.pay(sessionOf(url));
    const event = world.stripe.state.events.find(({ type }) => type === 'checkout.session.completed');
    assert.ok(event);
    await Promise.all([deliver(event), deliver(event), deliver(event)]);
    await deliverAll();
    assert.equal([...(await ledger()).values()].filter((amount) => amount === 1234).length, 1);
  });

  test('strangers, free plans, foreign addresses and unknown slugs are refused', async () => {
    const organizationId = await newOrganization();
    const buy = (planId: string, body: object, actor = alice) =>
      checkout('generateStripeCheckoutUrl', planId, body, actor);
    await assert.rejects(buy('paid', { organizationId }, bob), { code: 'ENTITY_NOT_FOUND' });
    await assert.rejects(buy('nothing', { organizationId }), { code: 'ENTITY_NOT_FOUND' });
    await assert.rejects(buy('free', { organizationId }), { code: 'VALIDATION_FAILED' });
    await assert.rejects(buy('paid', { organizationId, redirectUri: 'https://evil.test/' }), {
      code: 'VALIDATION_FAILED',
    });
    await assert.rejects(checkout('generateUnlockCheckoutUrl', 'paid', { organizationId }), {
      code: 'VALIDATION_FAILED',
    });
    await assert.rejects(call('stripeCallback', alice, { slug: 'unknown' }), { code: 'ENTITY_NOT_FOUND' });
    await assert.rejects(call('unlockCallback', alice, {}), { code: 'ENTITY_NOT_FOUND' });
    await assert.rejects(call('unsubscribe', bob, { planId: 'paid', subscriberId: organizationId }), {
      code: 'ENTITY_NOT_FOUND',
    });
  });

  test('a provider outage gives the buyer a clear message, and messages wait for it', async () => {
    const organizationId = await newOrganization();
    world.stripe.misbehave({ kind: 'status', status: 500 });
    await assert.rejects(checkout('generateStripeCheckoutUrl', 'paid', { organizationId }), { code: 'UNAVAILABLE' });
    world.stripe.behave();
    world.stripe.pay(sessionOf(await checkout('generateStripeCheckoutUrl', 'paid', { organizationId })));
    // The library makes three attempts before it gives up.
    world.stripe.misbehave({ kind: 'status', status: 500 }, 3);
    await deliverAll();
    world.stripe.behave();
    assert.equal(await planOf(organizationId), 'paid');
  });
}
