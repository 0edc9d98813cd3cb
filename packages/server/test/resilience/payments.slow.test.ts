import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '@latchkey/db/testing';
import { type StripeEmulator, startStripeEmulator } from '@latchkey/emulators/stripe';
import { until, volume } from '@latchkey/test-kit';
import pg from 'pg';
import {
  type DataFolder,
  type Environment,
  type LatchkeyProcess,
  makeDataFolder,
  startLatchkey,
} from '../harness/processes.ts';
import { environmentFor, urlOf } from '../harness/whole-latchkey.ts';

const rounds = volume(1, 20);
const perRound = 10;

describe('payments when Latchkey is killed', () => {
  let database: TestDatabase;
  let stripe: StripeEmulator;
  let environment: Environment;
  let client: pg.Client;
  let folder: DataFolder;
  let latchkey: LatchkeyProcess;

  before(async () => {
    database = await createTestDatabase({ name: 'payments', migrate: true });
    stripe = await startStripeEmulator();
    folder = await makeDataFolder();
    environment = {
      ...(await environmentFor(folder)),
      LATCHKEY_SIGNER: 'false',
      DATABASE_URL: database.url,
      LATCHKEY_MASTER_KEYS: `k1:${Buffer.alloc(32, 9).toString('base64')}`,
      LATCHKEY_STRIPE_SECRET_KEY: stripe.secretKey,
      LATCHKEY_STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
      LATCHKEY_STRIPE_URL: stripe.url,
    };
    client = new pg.Client({ connectionString: database.adminUrl });
    await client.connect();
  });
  after(async () => {
    await latchkey?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
    await client?.end();
    await stripe?.stop();
    await database?.drop();
  });

  async function start(): Promise<string> {
    latchkey = startLatchkey(['start'], environment);
    return urlOf(latchkey);
  }

  /** Creates a checkout as the operation does, and pays it at the provider. */
  async function buy(n: number): Promise<string> {
    const organization = `o${String(n).padStart(20, '0')}`;
    await client.query(
      `insert into organizations (id, created_by_id, name, email, plan_id, created_at, code_requested_at, verified_at)
       values ($1, 'DIS#USER#1', $1, 'o@example.org', 'free', now(), now(), now())`,
      [organization],
    );
    await client.query(
      `insert into payment_checkouts (id, slug_hash, created_by_id, provider, plan_id, subscriber_id, redirect_uri, created_at, expires_at)
       values ($1::text, encode(sha256(convert_to($1::text, 'UTF8')), 'hex'), 'DIS#USER#1', 'stripe', 'paid', $2, 'http://localhost', now(), now() + interval '1 day')`,
      [`checkout${n}`, organization],
    );
    const session = `cs_${n}`;
    stripe.state.sessions.set(session, {
      id: session,
      mode: 'subscription',
      status: 'open',
      price: {
        id: 'price_paid',
        product: 'latchkey_paid',
        amount: 1000,
        currency: 'usd',
        interval: 'month',
        lookupKey: null,
        metadata: { latchkey_plan: 'paid' },
      },
      customer: null,
      metadata: { latchkey_checkout: `checkout${n}` },
      subscriptionMetadata: { latchkey_checkout: `checkout${n}` },
      clientReferenceId: null,
      successUrl: 'http://localhost/',
      cancelUrl: 'http://localhost/',
      message: null,
      title: 'Paid',
      created: 0,
      expiresAt: Number.MAX_SAFE_INTEGER,
      isPaid: false,
      subscription: null,
      paymentIntent: null,
    });
    stripe.pay(session);
    return organization;
  }

  test('kill -9 between the message and what follows from it loses nothing and does nothing twice', async () => {
    let url = await start();
    const organizations: string[] = [];
    for (let round = 0; round < rounds; round++) {
      for (let n = 0; n < perRound; n++) organizations.push(await buy(round * perRound + n));
      for (const event of stripe.state.events.splice(0)) {
        const { body, signature } = stripe.sign(event);
        const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
        const response = await fetch(`${url}/stripe/webhook`, { method: 'POST', headers, body });
        assert.equal(response.status, 200, await response.text());
      }
      // Whatever the server and its worker were doing, they do not finish.
      await latchkey.stop('SIGKILL');
      url = await start();
    }
    await until('no job is left', async () => {
      const { rows } = await client.query(`select count(*)::int as n from jobs where name like 'payments.%'`);
      return rows[0].n === 0;
    });
    assert.equal(latchkey.hasEnded(), false);
    const { rows: plans } = await client.query(
      'select plan_id, count(*)::int as n from organizations group by plan_id',
    );
    assert.deepEqual(plans, [{ plan_id: 'paid', n: organizations.length }]);
    const { rows: ledger } = await client.query(
      'select count(*)::int as n, sum(amount)::int as total from payment_ledger',
    );
    assert.deepEqual(ledger, [{ n: organizations.length, total: organizations.length * 1000 }]);
    const { rows: subscriptions } = await client.query(
      'select count(*)::int as n, count(distinct subscriber_id)::int as subscribers from payment_subscriptions where is_active',
    );
    assert.deepEqual(subscriptions, [{ n: organizations.length, subscribers: organizations.length }]);
  });
});
