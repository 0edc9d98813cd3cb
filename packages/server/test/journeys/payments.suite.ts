import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createLocks } from '@latchkey/chains';
import { contextFor, createCommunity, jobKinds } from '@latchkey/core';
import { alice, type TestPlatform, testPlatform } from '@latchkey/core/testing';
import { sql, startWorker, type Worker } from '@latchkey/db';
import { createStripe } from '@latchkey/integrations';
import { principalId } from '@latchkey/kernel';
import { seed, until } from '@latchkey/test-kit';
import {
  type DevChain,
  deployLock,
  type StripeEvent,
  type StripeTwin,
  sampleLockAbi,
  startDevChain,
  startStripeTwin,
} from '@latchkey/twins';
import { createWalletClient, http, publicActions } from 'viem';
import { throwDice } from '../harness/dice.ts';
import { served } from '../harness/served.ts';

const bob = { ...alice, userId: 'DIS#USER#200' } as const;
const daySeconds = 24 * 60 * 60;

describe('payments', () => {
  let t: TestPlatform;
  let stripe: StripeTwin;
  let chain: DevChain;
  let worker: Worker;
  before(async () => {
    t = await testPlatform('payments');
    stripe = await startStripeTwin({ now: () => Math.floor(t.services.clock().getTime() / 1000) });
    chain = await startDevChain();
    const { secretKey, webhookSecret, url } = stripe;
    t.services.cards = createStripe({ secretKey, webhookSecret, url, clock: t.services.clock });
    const rpcUrlsOf = (id: string) => (id === String(chain.chainId) ? [chain.url] : []);
    t.services.locks = createLocks({ checkoutUrl: 'https://locks.test/checkout', rpcUrlsOf, timeoutMs: 180_000 });
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
    await sql`update plans set price_cents = 1799, min_buy_months = 3 where id = 'paid'`.execute(t.services.db.system);
    await sql`update plans set price_cents = 900 where id = 'community'`.execute(t.services.db.system);
  });
  after(async () => {
    await worker?.stop(5000);
    await Promise.all([stripe?.stop(), chain?.stop(), t?.close()]);
  });

  // The verbs are reached as the pipeline reaches them, so that the test knows no file of the feature.
  const verbs = new Map(served.map((operation) => [operation.contract.id, operation]));
  const call = (id: string, actor: typeof alice, input: object): Promise<Record<string, string>> =>
    Reflect.apply(verbs.get(id)?.verb as never, undefined, [t.as(actor), input]);
  const checkout = async (id: string, planId: string, body: object, actor = alice) =>
    (await call(id, actor, { planId, body: { state: { cart: 1 }, ...body } })).url ?? '';
  const sessionOf = (url: string) => url.split('/').at(-1) ?? '';

  async function newOrganization(owner = alice): Promise<string> {
    const id = t.services.random.id(21);
    const now = t.services.clock();
    const row = { id, created_by_id: principalId(owner), name: id, email: `${id}@example.org`, plan_id: 'free' };
    const times = { created_at: now, code_asked_at: now, verified_at: now };
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
    until('the messages of the provider were followed', async () => {
      const { rows } = await sql`select 1 from jobs where name like 'payments.%'`.execute(t.services.db.system);
      return rows.length === 0;
    });
  const deliverAll = async () => {
    for (const event of stripe.state.events.splice(0)) await deliver(event);
    await settled();
  };

  test('a plan begins with its payment and ends with the payments, but not before the least number of months', async () => {
    const organizationId = await newOrganization();
    const redirectUri = 'http://latchkey.test/after?x=1';
    const url = await checkout('generateStripeCheckoutUrl', 'paid', { organizationId, redirectUri });
    assert.equal(await planOf(organizationId), 'free');
    const back = new URL(stripe.pay(sessionOf(url)));
    assert.equal(back.pathname, '/stripe/callback');
    const { location = '' } = await call('stripeCallback', alice, Object.fromEntries(back.searchParams));
    const onward = new URL(location);
    assert.equal(`${onward.origin}${onward.pathname}`, 'http://latchkey.test/after');
    assert.equal(onward.searchParams.get('status'), 'success');
    assert.deepEqual(await call('getState', alice, { slug: onward.searchParams.get('slug') }), { cart: 1 });
    await deliverAll();
    assert.equal(await planOf(organizationId), 'paid');

    const subscription = [...stripe.state.subscriptions.values()].at(-1);
    assert.ok(subscription);
    const { url: portal } = await call('unsubscribe', alice, { planId: 'PLAN#paid', subscriberId: organizationId });
    assert.match(portal ?? '', /\/portal\//);
    const began = new Date(subscription.startDate * 1000);
    const least = new Date(began);
    least.setUTCMonth(began.getUTCMonth() + 3);
    assert.equal(subscription.cancelAt, least.getTime() / 1000);
    await deliverAll();
    assert.equal(await planOf(organizationId), 'paid');
    stripe.end(subscription.id);
    await deliverAll();
    assert.equal(await planOf(organizationId), 'free');
    const invoice = [...stripe.state.invoices.values()].at(-1);
    assert.equal((await ledger()).get(invoice?.id ?? ''), 1799);
  });

  test('events that come twice, late, in any order or from a stranger end in the right plan and the right sums', async () => {
    const dice = throwDice(seed('payments'));
    for (let round = 0; round < 12; round++) {
      const organizationId = await newOrganization();
      stripe.pay(sessionOf(await checkout('generateStripeCheckoutUrl', 'paid', { organizationId })));
      const subscription = [...stripe.state.subscriptions.values()].at(-1);
      assert.ok(subscription);
      const renewals = dice.below(4);
      for (let n = 0; n < renewals; n++) stripe.renew(subscription.id, { fails: dice.chance(0.3) });
      const [invoice] = [...stripe.state.invoices.values()].filter(({ subscription: id }) => id === subscription.id);
      if (dice.chance(0.5) && invoice) stripe.refund(invoice.id, 500);
      const hasEnded = dice.chance(0.5);
      if (hasEnded) stripe.end(subscription.id);
      const events = stripe.state.events.splice(0);
      const sent = [...events, ...events.filter(() => dice.chance(0.5))]
        .map((event) => ({ event, place: dice.below(1000) }))
        .sort((one, other) => one.place - other.place)
        .map(({ event }) => event);
      for (const event of sent) {
        await assert.rejects(deliver(event, { secret: 'whsec_of_another' }), { code: 'INVALID_CREDENTIAL' });
        if (dice.chance(0.25)) t.advanceSeconds(2 * daySeconds);
        await deliver(event);
      }
      await settled();
      assert.equal(await planOf(organizationId), hasEnded ? 'free' : 'paid', `round ${round}`);
      const sums = await ledger();
      for (const { id, subscription: of, amountPaid } of stripe.state.invoices.values())
        if (of === subscription.id) assert.equal(sums.get(id) ?? 0, amountPaid);
    }
    const sums = await ledger();
    for (const { id, amount } of stripe.state.refunds) assert.equal(sums.get(id), -amount);
    const { rows } = await sql`select sum(amount)::int as total from payment_ledger`.execute(t.services.db.system);
    const paid = [...stripe.state.invoices.values()].reduce((sum, invoice) => sum + invoice.amountPaid, 0);
    const refunded = stripe.state.refunds.reduce((sum, refund) => sum + refund.amount, 0);
    assert.deepEqual(rows, [{ total: paid - refunded }]);
  });

  test('a message of another time is refused, whether old or from the future, and so is a changed one', async () => {
    const organizationId = await newOrganization();
    stripe.pay(sessionOf(await checkout('generateStripeCheckoutUrl', 'paid', { organizationId })));
    const [event] = stripe.state.events;
    assert.ok(event);
    const now = Math.floor(t.services.clock().getTime() / 1000);
    for (const at of [now - 301, now + 301])
      await assert.rejects(deliver(event, { at }), { code: 'INVALID_CREDENTIAL' });
    const { body, signature } = stripe.sign(event);
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

  test('a community plan is bought for a community by somebody who looks after it', async () => {
    const communityId = '7700000000000000001';
    t.host.addCommunity(communityId, []);
    t.host.addAdmin(communityId, '100');
    await createCommunity(t.as(alice), { body: { communityId, platform: 'discord', name: 'Paying' } });
    const body = { organizationId: `DIS#COMM#${communityId}` };
    await assert.rejects(checkout('generateStripeCheckoutUrl', 'community', body, bob), { code: 'ENTITY_NOT_FOUND' });
    stripe.pay(sessionOf(await checkout('generateStripeCheckoutUrl', 'community', body)));
    await deliverAll();
    const plans = async () =>
      (await t.services.db.system.selectFrom('community_plans').select('plan_id').orderBy('plan_id').execute()).map(
        ({ plan_id }) => plan_id,
      );
    assert.deepEqual(await plans(), ['community', 'starter']);
    const subscription = [...stripe.state.subscriptions.values()].at(-1);
    stripe.end(subscription?.id ?? '');
    await deliverAll();
    assert.deepEqual(await plans(), ['starter']);
  });

  test('donations are counted once and give no rights', async () => {
    const { url = '' } = await call('generateDonationLink', alice, {
      body: { price: 1234, confirmationMessage: 'Thanks' },
    });
    stripe.pay(sessionOf(url));
    const event = stripe.state.events.find(({ type }) => type === 'checkout.session.completed');
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

  test('a provider that is down is a sentence to the buyer, and messages wait for it', async () => {
    const organizationId = await newOrganization();
    stripe.misbehave({ kind: 'status', status: 500 });
    await assert.rejects(checkout('generateStripeCheckoutUrl', 'paid', { organizationId }), { code: 'UNAVAILABLE' });
    stripe.behave();
    stripe.pay(sessionOf(await checkout('generateStripeCheckoutUrl', 'paid', { organizationId })));
    // The library asks three times before it gives up.
    stripe.misbehave({ kind: 'status', status: 500 }, 3);
    await deliverAll();
    stripe.behave();
    assert.equal(await planOf(organizationId), 'paid');
  });

  describe('with a lock', () => {
    const plan = 'locked';
    let lock: `0x${string}`;
    before(async () => {
      lock = await deployLock(chain, {
        name: 'Members',
        keyPriceWei: 1000n,
        durationSeconds: 30n * BigInt(daySeconds),
      });
      const config = JSON.stringify({ [lock]: { network: chain.chainId, skipRecipient: true } });
      await sql`
        insert into plans (id, audience, name, price_cents, billing_period, lock_config, created_at)
        values (${plan}, 'organization', 'Locked', 0, 'monthly', ${config}, ${new Date(0)})`.execute(
        t.services.db.system,
      );
    });
    const client = () => createWalletClient({ transport: http(chain.url) }).extend(publicActions);
    const buyKey = async (account: `0x${string}`) => {
      const list = [account] as const;
      const args = [[1000n], list, list, list, ['0x']] as const;
      const request = {
        chain: null,
        account,
        address: lock,
        abi: sampleLockAbi,
        functionName: 'purchase',
        value: 1000n,
      } as const;
      await client().writeContract({ ...request, args });
    };
    const accountAt = (n: number) => chain.accounts[n]?.address ?? '0x';
    const sign = (address: string, message: string) => `${address.toLowerCase()} signs ${message}`;
    const begin = async (organizationId: string) => {
      const url = new URL(await checkout('generateUnlockCheckoutUrl', plan, { organizationId }));
      const config = JSON.parse(url.searchParams.get('paywallConfig') ?? '');
      assert.deepEqual(config.locks, { [lock]: { network: chain.chainId, skipRecipient: true } });
      const back = new URL(url.searchParams.get('redirectUri') ?? '');
      return { message: String(config.messageToSign), slug: back.searchParams.get('slug') ?? '' };
    };
    const comeBack = async (input: object) =>
      new URL((await call('unlockCallback', alice, input)).location ?? '').searchParams.get('status');

    test('a key on the chain opens the plan, and selling it closes the plan again', async () => {
      const [organizationId, address] = [await newOrganization(), accountAt(3)];
      const { message, slug } = await begin(organizationId);
      await buyKey(address);
      assert.equal(await comeBack({ slug, address, signature: sign(address, message) }), 'success');
      assert.equal(await planOf(organizationId), plan);
      assert.equal(await comeBack({ slug, address, signature: sign(address, message) }), 'used');

      const request = {
        chain: null,
        account: address,
        address: lock,
        abi: sampleLockAbi,
        functionName: 'transferFrom',
      } as const;
      await client().writeContract({ ...request, args: [address, accountAt(4), 1n] });
      t.advanceSeconds(3601);
      const look = jobKinds.find(({ name }) => name === 'payments.look-at-keys');
      await look?.run(
        contextFor(t.services, { kind: 'system', job: 'test' }),
        {},
        { id: '1', attempt: 1, signal: new AbortController().signal },
      );
      assert.equal(await planOf(organizationId), 'free');
    });

    test('a signature of another wallet, a key in use and a wallet without a key open nothing', async () => {
      const [first, second] = [await newOrganization(), await newOrganization()];
      const [holder, other] = [accountAt(5), accountAt(6)];
      await buyKey(holder);
      const wrong = await begin(first);
      assert.equal(
        await comeBack({ slug: wrong.slug, address: holder, signature: sign(other, wrong.message) }),
        'signature-invalid',
      );
      const without = await begin(first);
      assert.equal(
        await comeBack({ slug: without.slug, address: other, signature: sign(other, without.message) }),
        'pending',
      );
      assert.equal(await planOf(first), 'free');
      const right = await begin(first);
      assert.equal(
        await comeBack({ slug: right.slug, address: holder, signature: sign(holder, right.message) }),
        'success',
      );
      const taken = await begin(second);
      assert.equal(
        await comeBack({ slug: taken.slug, address: holder, signature: sign(holder, taken.message) }),
        'key-in-use',
      );
      assert.deepEqual([await planOf(first), await planOf(second)], [plan, 'free']);
      const declined = await begin(second);
      assert.equal(await comeBack({ slug: declined.slug, error: 'access-denied' }), 'error');
    });

    test('a chain that cannot be asked takes no plan away', async () => {
      const [organizationId, address] = [await newOrganization(), accountAt(7)];
      const { message, slug } = await begin(organizationId);
      await buyKey(address);
      await comeBack({ slug, address, signature: sign(address, message) });
      const { locks } = t.services;
      t.services.locks = createLocks({ checkoutUrl: 'https://locks.test', rpcUrlsOf: () => [], timeoutMs: 100 });
      t.advanceSeconds(40 * daySeconds);
      const look = jobKinds.find(({ name }) => name === 'payments.look-at-keys');
      await look?.run(
        contextFor(t.services, { kind: 'system', job: 'test' }),
        {},
        { id: '1', attempt: 1, signal: new AbortController().signal },
      );
      assert.equal(await planOf(organizationId), plan);
      const again = await begin(organizationId);
      const signature = sign(address, again.message);
      assert.equal(await comeBack({ slug: again.slug, address, signature }), 'success');
      assert.equal(await planOf(organizationId), plan);
      t.services.locks = locks;
    });
  });
});
