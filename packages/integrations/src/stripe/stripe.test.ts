import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { CustomerGone, PaymentsFailed, PaymentsNotAllowed, PaymentsRefused } from '@latchkey/core/ports';
import { type StripeEmulator, startStripeEmulator } from '@latchkey/emulators/stripe';
import { patientMs } from '@latchkey/emulators/testing';
import { until } from '@latchkey/test-kit';
import { createStripe } from './index.ts';

const plan = { id: 'gold', name: 'Gold' };
const monthly = { billingPeriod: 'monthly', amount: 1000, currency: 'usd' } as const;
const yearly = { billingPeriod: 'yearly', amount: 9000, currency: 'usd' } as const;
const lastOf = (address: string) => address.split('/').at(-1) ?? '';

describe('Stripe', () => {
  let emulator: StripeEmulator;
  let now: Date;
  before(async () => {
    now = new Date('2026-01-31T12:00:00Z');
    emulator = await startStripeEmulator({ now: () => now.getTime() / 1000 });
  });
  after(() => emulator?.stop());
  const cardsWith = (secretKey: string) =>
    createStripe({
      fetch,
      secretKey,
      webhookSecret: emulator.webhookSecret,
      url: emulator.url,
      clock: () => now,
      timeoutMs: patientMs,
    });
  const checkout = (id: string) => ({
    id,
    successUrl: 'https://latchkey.test/back?slug=s&sessionId={CHECKOUT_SESSION_ID}',
    cancelUrl: 'https://latchkey.test/back?slug=s',
    expiresAt: new Date(now.getTime() + 24 * 60 * 60_000),
  });

  /** Makes every call of the adapter, in the order of a customer's purchase. */
  async function liveThrough(run: string): Promise<void> {
    const cards = cardsWith(emulator.secretKey);
    const customerId = await cards.createCustomer(`payer ${run}`);
    assert.equal(await cards.createCustomer(`payer ${run}`), customerId, 'the same key is the same customer');
    const priceId = await cards.priceOf({ ...plan, price: monthly });
    assert.equal(await cards.priceOf({ ...plan, name: 'Golden', price: monthly }), priceId);
    const dearer = await cards.priceOf({ ...plan, name: 'Golden', price: yearly });
    assert.notEqual(dearer, priceId);
    assert.equal(await cards.priceOf({ ...plan, price: { ...yearly, priceId: dearer } }), dearer);
    const unused = await cards.begin({ ...checkout(`c0 ${run}`), customerId, item: { priceId } });
    await cards.expire(unused.sessionId);
    assert.equal((await cards.checkout(unused.sessionId))?.state, 'expired');
    const { sessionId } = await cards.begin({ ...checkout(`c1 ${run}`), customerId, item: { priceId } });
    assert.equal((await cards.checkout(sessionId))?.state, 'open');
    assert.equal(await cards.mailboxOf(customerId), undefined);
    emulator.pay(sessionId, { email: 'payer@example.org' });
    assert.equal(await cards.mailboxOf(customerId), 'payer@example.org');
    const paid = await cards.checkout(sessionId);
    assert.deepEqual([paid?.state, paid?.checkoutId], ['paid', `c1 ${run}`]);
    const id = paid?.subscriptionId ?? '';
    const found = await cards.subscription(id);
    assert.deepEqual(
      [found?.paymentState, found?.price.planId, found?.price.billingPeriod],
      ['paid', 'gold', 'monthly'],
    );
    const change = { subscriptionId: id, priceId: dearer, doneUrl: 'https://l.test/1', returnUrl: 'https://l.test/2' };
    const { url } = await cards.change(change);
    assert.equal(emulator.confirm(lastOf(url)), 'https://l.test/1');
    assert.equal((await cards.subscription(id))?.price.billingPeriod, 'yearly');
    await cards.portal(customerId, 'https://l.test/');
    await cards.cancel(id, now);
    assert.deepEqual((await cards.subscription(id))?.cancelOn, (await cards.subscription(id))?.paidUntil);
    await cards.resume(id);
    await cards.cancel(id, new Date(now.getTime() + 3 * 365 * 24 * 60 * 60_000));
    await cards.resume(id);
    assert.equal((await cards.subscription(id))?.cancelOn, undefined);
    const invoiceId = (await cards.subscription(id))?.latestInvoiceId ?? '';
    assert.equal((await cards.invoice(invoiceId))?.payment?.amount, 8000);
    emulator.refund(invoiceId, 500);
    emulator.dispute(invoiceId, 'needs_response');
    const chargeId = emulator.state.invoices.get(invoiceId)?.charge ?? '';
    const charge = await cards.charge(chargeId);
    assert.deepEqual([charge?.subscriptionId, charge?.invoiceId, charge?.isRefunded], [id, invoiceId, false]);
    assert.equal(charge?.refunds[0]?.amount, -500);
    assert.deepEqual([charge?.disputes[0]?.outcome, charge?.disputes[0]?.movements[0]?.amount], ['open', -8000]);
    await cards.end(id, { isCredited: true });
    await cards.end(id);
    assert.equal((await cards.subscription(id))?.paymentState, 'ended');
    const gift = { title: 'Donation', amount: 500, currency: 'usd' };
    const confirmationMessage = 'Thanks';
    await cards.begin({ ...checkout(`c2 ${run}`), item: { ...gift, isMonthly: false }, confirmationMessage });
    await cards.begin({ ...checkout(`c3 ${run}`), item: { ...gift, isMonthly: true } });
    await cards.forgetCustomer(customerId);
  }

  test('a signed message that is not an event is refused, and one with new fields is read', () => {
    const cards = cardsWith(emulator.secretKey);
    const read = (event: unknown) => {
      const body = Buffer.from(JSON.stringify(event));
      const time = Math.floor(now.getTime() / 1000);
      const mac = createHmac('sha256', emulator.webhookSecret).update(`${time}.`).update(body).digest('hex');
      return cards.readEvent(body, `t=${time},v1=${mac}`, now);
    };
    const event = { id: 'evt_1', type: 'invoice.paid', created: 1, data: { object: { id: 'in_1' } } };
    assert.deepEqual(read({ ...event, new_field: 'x' })?.subject, { kind: 'invoice', id: 'in_1' });
    const changes = [{ id: 'x'.repeat(256) }, { id: 5 }, { type: '' }, { created: 'now' }, { created: 1e15 }];
    for (const one of [{}, ...changes.map((change) => ({ ...event, ...change }))])
      assert.throws(() => read(one), { code: 'VALIDATION_FAILED' }, JSON.stringify(one).slice(0, 80));
  });

  test('implements the whole port with Stripe’s official library', () => liveThrough('first'));

  test('a customer pays on the emulator’s page and triggers later events, which are signed', async () => {
    const cards = cardsWith(emulator.secretKey);
    const events: (string | undefined)[] = [];
    const receiver = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray());
      events.push(cards.readEvent(body, String(request.headers['stripe-signature']), now)?.type);
      response.end();
    });
    const server = await startStripeEmulator({ now: () => now.getTime() / 1000, seed: 'another' });
    try {
      await once(receiver.listen(0, '127.0.0.1'), 'listening');
      server.sendEventsTo(`http://127.0.0.1:${Object(receiver.address()).port}`);
      const { secretKey, webhookSecret, url } = server;
      const shop = createStripe({ fetch, secretKey, webhookSecret, url, clock: () => now, timeoutMs: patientMs });
      const customerId = await shop.createCustomer('visitor');
      const priceId = await shop.priceOf({ ...plan, price: monthly });
      const { url: page } = await shop.begin({ ...checkout('visit'), customerId, item: { priceId } });
      assert.match(await (await fetch(page)).text(), /name="email"/);
      const post = (address: string, form: Record<string, string>) =>
        fetch(address, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });
      const paid = await post(page, { email: 'visitor@example.org' });
      assert.match(paid.headers.get('location') ?? '', /^https:\/\/latchkey\.test\/back/);
      assert.equal(await shop.mailboxOf(customerId), 'visitor@example.org');
      const [subscription] = server.state.subscriptions.keys();
      const { url: portal } = await shop.portal(customerId, 'https://l.test/');
      assert.match(await (await fetch(portal)).text(), new RegExp(`value="fails ${subscription}"`));
      for (const what of ['fails', 'renews', 'disputed', 'won'])
        assert.equal((await post(portal, { happens: `${what} ${subscription}` })).status, 303);
      await post(portal, { happens: 'fails sub_of_another' });
      const wanted = ['invoice.payment_failed', 'charge.dispute.created', 'charge.dispute.closed'];
      await until('the events have arrived', () => wanted.every((type) => events.includes(type)));
      assert.ok(!events.includes(undefined), 'each is signed');
      const paymentState = (await shop.subscription(subscription ?? ''))?.paymentState;
      assert.deepEqual([paymentState, events.filter((type) => type === 'invoice.payment_failed').length], ['paid', 1]);
    } finally {
      receiver.closeAllConnections();
      await Promise.all([server.stop(), new Promise((closed) => receiver.close(closed))]);
    }
  });

  test('distinguishes retryable from permanent failures, and reveals no secret', async () => {
    const cards = cardsWith(emulator.secretKey);
    const begin = (change: object) => cards.begin({ ...checkout('c9'), item: { priceId: 'price_none' }, ...change });
    await assert.rejects(begin({}), (error) => error instanceof PaymentsRefused && /No such price/.test(error.message));
    const item = { title: 'x', amount: 100, currency: 'usd', isMonthly: false };
    await assert.rejects(begin({ item, customerId: 'cus_gone' }), CustomerGone);
    await assert.rejects(cards.cancel('sub_none', now), PaymentsRefused);
    assert.equal(await cards.subscription('sub_none'), undefined);
    await assert.rejects(
      cardsWith('sk_live_wrong').portal('cus_1', 'https://l.test/'),
      (error) => error instanceof PaymentsNotAllowed && !/sk_live/.test(error.message),
    );
    emulator.misbehave({ kind: 'status', status: 500 });
    await assert.rejects(begin({}), PaymentsFailed);
    emulator.behave();
  });

  const mock = findProgram('stripe-mock');
  const skip =
    mock === undefined &&
    'stripe-mock is not on the PATH and LATCHKEY_STRIPE_MOCK does not name it; see docs/payments.md';

  test('sends only what Stripe’s OpenAPI describes, and the emulator responds in its fields', {
    skip,
  }, async () => {
    await liveThrough('second');
    const folder = await mkdtemp(join(tmpdir(), 'stripe-mock-'));
    const socketPath = join(folder, 'socket');
    const running = spawn(mock ?? '', ['-http-unix', socketPath], { stdio: 'ignore' });
    try {
      await until('stripe-mock listens', () => ask(socketPath, 'GET', '/v1/customers').then(isAnswered, () => false));
      const requested = new Map(emulator.requests.map((one) => [`${one.method} ${addressOf(one)}\n${one.text}`, one]));
      for (const one of requested.values()) {
        if (one.path.endsWith('none') || one.text.includes('price_none') || one.text.includes('cus_gone')) continue;
        const { status, body } = await ask(socketPath, one.method, addressOf(one), one.text);
        assert.equal(status, 200, `${one.method} ${addressOf(one)} ${one.text}: ${JSON.stringify(body)}`);
        if (one.method !== 'GET') continue;
        const headers = { authorization: `Bearer ${emulator.secretKey}` };
        const answer = await fetch(`${emulator.url}${addressOf(one)}`, { headers });
        if (answer.status === 200) assert.deepEqual(unknownFields(await answer.json(), body), [], addressOf(one));
      }
    } finally {
      running.kill();
      await rm(folder, { recursive: true });
    }
  });
});

function findProgram(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  return [process.env.LATCHKEY_STRIPE_MOCK, ...folders].find((path) => {
    try {
      if (path) accessSync(path, constants.X_OK);
      return Boolean(path);
    } catch {
      return false;
    }
  });
}

const isAnswered = ({ status }: { status: number }) => status === 200;

function addressOf({ path, query }: { path: string; query: URLSearchParams }): string {
  return query.size === 0 ? path : `${path}?${query}`;
}

function ask(socketPath: string, method: string, path: string, text = ''): Promise<{ status: number; body: unknown }> {
  const headers = {
    authorization: 'Bearer sk_test_123',
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': Buffer.byteLength(text),
  };
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ socketPath, method, path, headers }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) });
    });
    sent.on('error', reject).end(text);
  });
}

/** Returns the fields of a response that stripe-mock's response to the same request lacks; for a list, those of its first item. */
function unknownFields(own: unknown, accepted: unknown): string[] {
  const [mine, theirs] = [Object(own), Object(accepted)];
  const items = Array.isArray(mine.data) && mine.data.length > 0 ? unknownFields(mine.data[0], theirs.data?.[0]) : [];
  return [...Object.keys(mine).filter((name) => !Object.hasOwn(theirs, name)), ...items];
}
