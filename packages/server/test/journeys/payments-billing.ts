import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCommunity } from '@latchkey/core';
import { alice } from '@latchkey/core/testing';
import { sql } from '@latchkey/db';
import { createStripe } from '@latchkey/integrations/stripe';
import { bob, daySeconds, type PaymentsWorld } from './payments-world.ts';

const stranger = { ...alice, userId: 'DIS#USER#999' } as const;

/** The life of one subscription: bought, changed, paid late, refunded. */
export function testBilling(world: PaymentsWorld): void {
  const {
    call,
    checkout,
    sessionOf,
    lastSubscription,
    buyPaid,
    statusOf,
    newOrganization,
    planOf,
    ledger,
    checkAgain,
    deliverAll,
  } = world;

  test('a subscriber pays once: older checkouts are closed, and buying again shows the active one', async () => {
    const [organizationId, second] = [await newOrganization(), await newOrganization()];
    const first = sessionOf(await checkout('generateStripeCheckoutUrl', 'paid', { organizationId }));
    const url = await checkout('generateStripeCheckoutUrl', 'paid', { organizationId });
    assert.equal(world.stripe.state.sessions.get(first)?.status, 'expired');
    world.stripe.pay(sessionOf(url));
    await assert.rejects(checkout('generateStripeCheckoutUrl', 'paid', { organizationId }), {
      code: 'STATE_CONFLICT',
      message: /being processed/,
    });
    await deliverAll();
    const before = world.stripe.state.subscriptions.size;
    assert.match(await checkout('generateStripeCheckoutUrl', 'paid', { organizationId }), /\/portal\//);
    await buyPaid(second);
    assert.equal(world.stripe.state.subscriptions.size, before + 1);
    const customers = new Set([...world.stripe.state.subscriptions.values()].slice(-2).map(({ customer }) => customer));
    assert.equal(customers.size, 1, 'one payer is one customer');
    const mine = (await call('listMySubscriptions', alice, {})) as unknown as {
      subscriberId: string;
      amount: number;
    }[];
    for (const id of [organizationId, second])
      assert.equal(mine.find(({ subscriberId }) => subscriberId === id)?.amount, 1799);
    assert.match((await call('createBillingPortal', alice, {})).url ?? '', /\/portal\//);
    await assert.rejects(call('createBillingPortal', stranger, {}), {
      code: 'ENTITY_NOT_FOUND',
    });
  });

  test('two checkouts that were both paid end as one subscription, and the second payment is kept for the buyer', async () => {
    const organizationId = await newOrganization();
    const first = sessionOf(await checkout('generateStripeCheckoutUrl', 'paid', { organizationId }));
    const second = sessionOf(await checkout('generateStripeCheckoutUrl', 'paid', { organizationId }));
    // As if the buyer had paid just before the first one was closed.
    Object.assign(world.stripe.state.sessions.get(first) ?? {}, { status: 'open' });
    for (const session of [first, second]) world.stripe.pay(session);
    await deliverAll();
    await deliverAll();
    const [kept, ended] = [...world.stripe.state.subscriptions.values()].slice(-2);
    const balance = () => world.stripe.state.customers.get(kept?.customer ?? '')?.balance;
    assert.deepEqual([kept?.status, ended?.status].sort(), ['active', 'canceled']);
    assert.equal(balance(), -1799);
    assert.equal(await planOf(organizationId), 'paid');
  });

  test('concurrently started checkouts leave at most one open', async () => {
    const organizationId = await newOrganization();
    const before = new Set(world.stripe.state.sessions.keys());
    const begun = await Promise.allSettled(
      Array.from({ length: 5 }, () => checkout('generateStripeCheckoutUrl', 'paid', { organizationId })),
    );
    const sessions = [...world.stripe.state.sessions.values()].filter(({ id }) => !before.has(id));
    assert.equal(sessions.length, 5);
    assert.equal(new Set(sessions.map(({ customer }) => customer)).size, 1);
    assert.ok(sessions.filter(({ status }) => status === 'open').length <= 1);
    for (const one of begun) if (one.status === 'rejected') assert.equal(one.reason.code, 'STATE_CONFLICT');
  });

  test('a billing period and a currency are chosen, and a change is confirmed by the buyer and prorated', async () => {
    const organizationId = await newOrganization();
    const buy = (planId: string, body: object) =>
      call('createPlanCheckout', alice, { planId, body: { subscriberId: organizationId, ...body } });
    await assert.rejects(
      buy('paid', { currency: 'jpy' }),
      /It is available monthly in usd, yearly in usd, monthly in eur/,
    );
    const { url = '' } = await buy('paid', { billingPeriod: 'monthly' });
    world.stripe.pay(sessionOf(url));
    await deliverAll();
    const subscription = lastSubscription();
    assert.deepEqual([subscription.price.amount, subscription.price.interval], [1799, 'month']);

    const redirectUri = 'http://latchkey.test/after';
    const { url: change = '' } = await buy('paid', { billingPeriod: 'yearly', redirectUri });
    const back = world.stripe.state.portalSessions.get(sessionOf(change))?.change?.doneUrl ?? '';
    assert.equal(await statusOf(back), 'cancelled', 'nothing is confirmed yet');
    assert.equal(subscription.price.interval, 'month');
    assert.equal(await statusOf(world.stripe.confirm(sessionOf(change))), 'success');
    await deliverAll();
    const invoice = world.stripe.state.invoices.get(subscription.latestInvoice ?? '');
    assert.equal(invoice?.amountPaid, 12_000 - 1799, 'the rest of the month is credited');
    assert.equal((await ledger()).get(invoice?.id ?? ''), 12_000 - 1799);

    await assert.rejects(buy('paid', { currency: 'eur' }), { code: 'STATE_CONFLICT' });
    const { url: larger = '' } = await buy('large', {});
    world.stripe.confirm(sessionOf(larger));
    await deliverAll();
    assert.equal(await planOf(organizationId), 'large');
    assert.equal(subscription.price.interval, 'year');
    assert.equal(
      [...world.stripe.state.subscriptions.values()].at(-1)?.id,
      subscription.id,
      'it is the same subscription',
    );

    await call('unsubscribe', alice, { planId: 'large', subscriberId: organizationId });
    await deliverAll();
    assert.equal(subscription.cancelsAtPeriodEnd, true);
    await assert.rejects(buy('paid', {}), /Buy its plan again to keep it/);
    assert.match((await buy('large', {})).url ?? '', /\/portal\//);
    assert.equal(subscription.cancelAt, null);
  });

  test('success is what the provider reports, not what the URL says', async () => {
    const organizationId = await newOrganization();
    const session = sessionOf(await checkout('generateStripeCheckoutUrl', 'paid', { organizationId }));
    const { cancelUrl = '' } = world.stripe.state.sessions.get(session) ?? {};
    assert.equal(await statusOf(cancelUrl), 'cancelled');
    assert.equal(await statusOf(`${cancelUrl}&sessionId=cs_made_up`), 'cancelled');
    const back = world.stripe.pay(session, { isSlow: true });
    assert.equal(await statusOf(back), 'pending');
    await deliverAll();
    assert.equal(await planOf(organizationId), 'free');
    world.stripe.settle(session);
    assert.equal(await statusOf(back), 'success');
    await deliverAll();
    assert.equal(await planOf(organizationId), 'paid');
    world.stripe.misbehave({ kind: 'status', status: 500 });
    assert.equal(await statusOf(back), 'pending', 'unknown is not a success');
    world.stripe.behave();
  });

  test('permanent provider errors are shown to the buyer, without the server’s secrets', async () => {
    const organizationId = await newOrganization();
    const buy = () => checkout('generateStripeCheckoutUrl', 'broken', { organizationId });
    await assert.rejects(buy(), {
      code: 'VALIDATION_FAILED',
      message: /rejected the request: No such price: 'price_gone'/,
    });
    const { prices } = world.stripe.state;
    prices.set('price_gone', { ...([...prices.values()][0] ?? assert.fail()), id: 'price_gone', interval: 'month' });
    await assert.rejects(buy(), { code: 'VALIDATION_FAILED', message: /is not the price of the plan broken/ });
    const { cards } = world.t.services;
    const { webhookSecret, url } = world.stripe;
    world.t.services.cards = createStripe({
      fetch,
      secretKey: 'sk_test_wrong',
      webhookSecret,
      url,
      clock: world.t.services.clock,
    });
    await assert.rejects(buy(), (error: Error & { code: string }) => {
      assert.equal(error.code, 'NOT_CONFIGURED');
      return !error.message.includes('sk_test');
    });
    world.t.services.cards = cards;
  });

  test('a failed payment keeps the plan for the grace period, and a payment restores it', async () => {
    const organizationId = await newOrganization();
    const subscription = await buyPaid(organizationId);
    world.stripe.renew(subscription.id, { fails: true });
    await deliverAll();
    assert.equal(await planOf(organizationId), 'paid');
    world.t.advanceSeconds(7 * daySeconds - 60);
    await checkAgain();
    assert.equal(await planOf(organizationId), 'paid');
    world.t.advanceSeconds(120);
    await checkAgain();
    assert.equal(await planOf(organizationId), 'free');
    const url = await checkout('generateStripeCheckoutUrl', 'paid', { organizationId });
    assert.match(url, /\/portal\//, 'the card is fixed there, and nothing is sold twice');
    world.stripe.renew(subscription.id);
    await deliverAll();
    assert.equal(await planOf(organizationId), 'paid');
  });

  test('a disputed payment suspends the plan until it is won, and a lost one or a full refund ends it', async () => {
    const [disputed, refunded] = [await newOrganization(), await newOrganization()];
    const subscription = await buyPaid(disputed);
    const invoiceId = subscription.latestInvoice ?? '';
    const step = async (status: 'warning_needs_response' | 'needs_response' | 'won' | 'lost') => {
      world.stripe.dispute(invoiceId, status);
      await deliverAll();
      return planOf(disputed);
    };
    assert.equal(await step('warning_needs_response'), 'paid', 'an inquiry does not suspend the plan');
    assert.equal(await step('needs_response'), 'free');
    assert.equal(await step('won'), 'paid');
    assert.equal(await step('lost'), 'free');
    assert.equal(subscription.status, 'canceled');
    const sums = await ledger();
    const [dispute] = world.stripe.state.disputes;
    assert.equal(
      dispute?.movements.reduce((sum, { id }) => sum + (sums.get(id) ?? 0), 0),
      -1799,
    );

    const other = await buyPaid(refunded);
    world.stripe.refund(other.latestInvoice ?? '', 500);
    await deliverAll();
    assert.equal(await planOf(refunded), 'paid', 'a partial refund ends nothing');
    world.stripe.refund(other.latestInvoice ?? '', 1299);
    await deliverAll();
    await deliverAll();
    assert.deepEqual([other.status, await planOf(refunded)], ['canceled', 'free']);
  });

  test('a user can neither change what another user pays for nor see their cards', async () => {
    const communityId = '7700000000000000002';
    world.t.host.addCommunity(communityId, []);
    for (const id of ['100', '200']) world.t.host.addAdmin(communityId, id);
    await createCommunity(world.t.as(alice), { body: { communityId, platform: 'discord', name: 'Shared' } });
    const id = `DIS#COMM#${communityId}`;
    await sql`insert into community_admins (community_id, user_id, added_at)
      values (${id}, ${bob.userId}, ${world.t.services.clock()})`.execute(world.t.services.db.system);
    world.stripe.pay(sessionOf(await checkout('generateStripeCheckoutUrl', 'community', { organizationId: id })));
    await deliverAll();
    await assert.rejects(checkout('generateStripeCheckoutUrl', 'community', { organizationId: id }, bob), {
      code: 'STATE_CONFLICT',
    });
    assert.deepEqual(await call('unsubscribe', bob, { planId: 'community', subscriberId: id }), {});
    assert.equal(lastSubscription().cancelsAtPeriodEnd, true);
  });

  test('nothing is sold while selling is disabled', async () => {
    const organizationId = await newOrganization();
    world.t.services.settings.selling = { isOn: false };
    for (const verb of ['generateStripeCheckoutUrl', 'generateUnlockCheckoutUrl'])
      await assert.rejects(checkout(verb, 'paid', { organizationId }), { code: 'NOT_CONFIGURED' });
    world.t.services.settings.selling = { isOn: true };
  });
}
