import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sql } from '@latchkey/db';
import { sampleLockAbi } from '@latchkey/emulators/evm-chain';
import type { StripeEvent } from '@latchkey/emulators/stripe';
import { until } from '@latchkey/test-kit';
import { createWalletClient, getAddress, http } from 'viem';
import { aliceId, malloryId } from '../harness/identities.ts';
import { type OutsideWorld, outsideWorld, people } from '../harness/outside-world.ts';
import { otpMailedTo } from '../harness/read-mail.ts';
import { connectSdk, createSdkCaller, refusedWith, type Sdk } from '../harness/sdk-client.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { inBrowser } from './sdk-browser.ts';
import { aboutPayments } from './sdk-resources.ts';
import { turns } from './turns.ts';

const lockedPlan = 'sold-by-a-lock';

turns.describe('contract: sdk, payments', () => {
  let outside: OutsideWorld;
  let server: TestServer;
  let asAlice: Sdk;
  let asMallory: Sdk;
  let asNobody: Sdk;
  let organizationId: string;
  const { call, routesLeft } = createSdkCaller();

  before(async () => {
    outside = await outsideWorld();
    server = await startTestServer({ ...outside.environment, LATCHKEY_SELL_PLANS: 'true' });
    asAlice = await connectSdk(server, { authenticatedEncryption: await server.aeToken(aliceId) });
    asMallory = await connectSdk(server, { authenticatedEncryption: await server.aeToken(malloryId) });
    asNobody = await connectSdk(server, {});
    const email = 'buyer@example.org';
    const { sk } = await call(asAlice, 'POST /dev-orgs', { name: 'Buyers', email });
    await call(asAlice, 'POST /dev-orgs/verify', { otp: await otpMailedTo(server, email) });
    organizationId = sk.replace('ORG#', '');
    // Other suites pay there too.
    outside.stripe.state.events.length = 0;
    const { system } = server.services.db;
    await sql`update plans set price_cents = 1799, min_buy_months = 3 where id = 'paid'`.execute(system);
    const locks = JSON.stringify({ [outside.lock]: { network: outside.chain.chainId } });
    await sql`
      insert into plans (id, audience, name, price_cents, billing_period, lock_config, created_at)
      values (${lockedPlan}, 'organization', 'Locked', 0, 'monthly', ${locks}, ${new Date(0)})`.execute(system);
  });
  after(() => server?.close());

  const planOf = async () => (await call(asAlice, 'GET /dev-orgs/{orgId}', organizationId)).planId;
  const sessionOf = (url: string) => url.split('/').at(-1) ?? '';
  const buy = async (kind: string, planId: string, sdk = asAlice) => {
    const body = { state: { cart: 1 }, organizationId, redirectUri: `${server.url}/after` };
    return (await call(sdk, `POST /${kind}/subscription/{planId}`, planId, body)).url as string;
  };
  /** Where a customer who returns from a payment is redirected. */
  const comeBack = async (route: string, ...args: (string | undefined)[]) => {
    const onward = new URL(await call(inBrowser(asNobody), route, ...args));
    assert.equal(`${onward.origin}${onward.pathname}`, `${server.url}/after`);
    const slug = onward.searchParams.get('slug');
    assert.deepEqual(await call(asNobody, 'GET /states/{slug}', slug), { cart: 1 });
    return onward.searchParams.get('status');
  };
  /** Sends an event of the provider. The SDK serializes JSON in its own way, so the result is signed. */
  const send = async (event: StripeEvent, secret = outside.stripe.webhookSecret) => {
    const message = JSON.parse(outside.stripe.sign(event).body);
    const at = Math.floor(Date.now() / 1000);
    const digest = createHmac('sha256', secret)
      .update(`${at}.${JSON.stringify(message)}`)
      .digest('hex');
    await call(asNobody, 'POST /stripe/webhook', `t=${at},v1=${digest}`, message);
  };
  const deliver = async () => {
    for (const event of outside.stripe.state.events.splice(0)) await send(event);
  };

  test('a plan is bought by card, starts when the provider confirms it, and is ended', async () => {
    const session = sessionOf(await buy('stripe', 'paid'));
    const back = new URL(outside.stripe.pay(session)).searchParams;
    const { searchParams } = new URL(outside.stripe.state.sessions.get(session)?.cancelUrl ?? '');
    const slug = searchParams.get('slug') ?? '';
    const [event] = outside.stripe.state.events;
    assert.ok(event);
    await assert.rejects(send(event, 'whsec_guessed'), refusedWith(401, 'INVALID_CREDENTIAL'));
    assert.equal(await planOf(), 'free');
    // Returning makes the server ask the provider, so from here on the plan may start.
    assert.equal(await comeBack('GET /stripe/callback', back.get('sessionId') ?? '', slug), 'success');
    await deliver();
    await until('the plan has begun', async () => (await planOf()) === 'paid');

    const end = 'DELETE /stripe/subscription/{planId}/subscriber/{subscriberId}';
    await assert.rejects(call(asMallory, end, 'paid', organizationId), refusedWith(404, 'ENTITY_NOT_FOUND'));
    const { url } = await call(asAlice, end, 'paid', organizationId);
    assert.match(url, /\/portal\//);
    const subscription = [...outside.stripe.state.subscriptions.values()].at(-1);
    assert.ok(subscription?.cancelAt, 'the provider knows when it ends');
    outside.stripe.end(subscription.id);
    await deliver();
    await until('the plan has ended', async () => (await planOf()) === 'free');
  });

  test('a plan is bought as a key of a lock, by the user who signs with the wallet that holds it', async () => {
    const address = new URL(await buy('unlock', lockedPlan));
    const config = JSON.parse(address.searchParams.get('paywallConfig') ?? '');
    assert.deepEqual(Object.keys(config.locks), [outside.lock]);
    const slug = new URL(address.searchParams.get('redirectUri') ?? '').searchParams.get('slug') ?? '';
    await buyKey(people.bob.address);
    const signature = await people.bob.sign(config.messageToSign);
    const proof = [signature, people.bob.address, undefined, slug];
    assert.equal(await comeBack('GET /unlock/callback', ...proof), 'success');
    assert.equal(await planOf(), lockedPlan);
    assert.equal(await comeBack('GET /unlock/callback', ...proof), 'used');
    await assert.rejects(buy('unlock', lockedPlan, asMallory), refusedWith(404, 'ENTITY_NOT_FOUND'));
  });

  async function buyKey(recipient: string): Promise<void> {
    const [payer] = outside.chain.accounts;
    const recipients = [getAddress(recipient)] as const;
    await createWalletClient({ transport: http(outside.chain.url) }).writeContract({
      chain: null,
      account: payer?.address ?? '0x',
      address: getAddress(outside.lock),
      abi: sampleLockAbi,
      functionName: 'purchase',
      args: [[1000n], recipients, recipients, recipients, ['0x']],
      value: 1000n,
    });
  }

  test('a donation checkout is created at its price, and counted when it is paid', async () => {
    const body = { price: 1234, recurring: false, confirmationMessage: 'Thank you.' };
    const { url } = await call(asAlice, 'POST /stripe/donation', body);
    assert.equal(outside.stripe.state.sessions.get(sessionOf(url))?.price.amount, 1234);
    assert.match(await (await fetch(url)).text(), /Thank you\./);
    outside.stripe.pay(sessionOf(url));
    await deliver();
    await until('the donation is counted', async () => {
      const { rows } = await sql`select 1 from payment_ledger where amount = 1234`.execute(server.services.db.system);
      return rows.length === 1;
    });
  });

  test('every operation of these resources was called', () => {
    assert.deepEqual(
      routesLeft((name) => aboutPayments.includes(name)),
      [],
    );
  });
});
