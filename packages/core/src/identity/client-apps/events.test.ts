import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Worker } from '@latchkey/db';
import type { Actor } from '@latchkey/kernel';
import { Webhook } from 'standardwebhooks';
import { findWebhookSecrets, listDeliveries } from '../../services/webhooks/index.ts';
import { startWebhookWorker } from '../../services/webhooks/testing.ts';
import { operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { decideClientApp, disableWebhook, enableWebhook, isKnownOrigin, resetWebhookSecret } from './index.ts';
import { remove, removeWebhook, replace, resetApiKey, setOrigins, setWebhook } from './operations.ts';
import { getById } from './reads.ts';
import { fails, newApp, newPerson } from './testing.ts';

describe('client apps: events', () => {
  let t: TestPlatform;
  let worker: Worker;
  before(async () => {
    t = await testPlatform('client-apps/events');
    worker = startWebhookWorker(t);
  });
  after(async () => {
    await worker.stop(1_000);
    await t.close();
  });

  let hooks = 0;

  async function newListener() {
    const person = newPerson();
    hooks += 1;
    const webhookUrl = `https://hook-${hooks}.example/`;
    const subscribeEvents = ['client-app.status-changed', 'client-app.api-key-reset', 'client-app.deleted'];
    return { person, webhookUrl, ...(await newApp(t, person, { webhookUrl, subscribeEvents })) };
  }

  /** Returns the events that arrived at a URL, verified by a third-party library with the receiver's secret. */
  async function received(url: string, secret: string | undefined): Promise<unknown[]> {
    await worker.idle();
    const webhook = new Webhook(secret ?? '');
    const requests = t.requests.filter((request) => request.url === url);
    return requests.map(({ body, headers = {} }) => webhook.verify(String(body), headers));
  }

  test('an application is notified of its approval, its new key and its deletion', async () => {
    const { person, id, webhookUrl, secret } = await newListener();
    await decideClientApp(t.as(operator), { id, decision: 'approve' });
    await received(webhookUrl, secret);
    await resetApiKey(t.as(person), { clientAppId: id });
    await received(webhookUrl, secret);
    await remove(t.as(person), { id });
    const timestamp = t.services.clock().toISOString();
    assert.deepEqual(await received(webhookUrl, secret), [
      {
        type: 'client-app.status-changed',
        timestamp,
        data: { clientId: id, status: 'APPROVED', previousStatus: 'PENDING' },
      },
      { type: 'client-app.api-key-reset', timestamp, data: { clientId: id } },
      { type: 'client-app.deleted', timestamp, data: { clientId: id, name: 'An app' } },
    ]);
    const { items: log } = await listDeliveries(t.as(person), { clientId: id });
    assert.deepEqual(
      log.map(({ status }) => status),
      ['delivered', 'delivered', 'delivered'],
    );
  });

  test('a replacement that keeps the status sends no event, one that changes it notifies the new URL', async () => {
    const { id, webhookUrl, secret } = await newListener();
    const subscribeEvents = ['client-app.status-changed'];
    const ctx = t.as(operator);
    await replace(ctx, { id, body: { status: 'PENDING', name: 'Kept', webhookUrl, subscribeEvents } });
    assert.deepEqual(await received(webhookUrl, secret), []);
    const moved = `${webhookUrl}moved`;
    await replace(ctx, { id, body: { status: 'APPROVED', name: 'Moved', webhookUrl: moved, subscribeEvents } });
    assert.equal((await received(moved, secret)).length, 1);
    assert.deepEqual(await received(webhookUrl, secret), []);
  });

  test('the operator disables and enables a webhook, and both are audited', async () => {
    const { person, id, webhookUrl, secret } = await newListener();
    const ctx = t.as(operator);
    await disableWebhook(ctx, { id, reason: 'It is slow.' });
    await resetApiKey(t.as(person), { clientAppId: id });
    assert.deepEqual(await received(webhookUrl, secret), []);
    await enableWebhook(ctx, { id });
    await resetApiKey(t.as(person), { clientAppId: id });
    assert.equal((await received(webhookUrl, secret)).length, 1);
    const { actions } = await getById(t.as(person), { id });
    const report = actions?.map(({ action, notes }) => [action, notes]);
    assert.deepEqual(report?.slice(1, 2), [['disable-webhook', 'It is slow.']]);
    assert.deepEqual(
      report?.map(([action]) => action),
      ['create', 'disable-webhook', 'reset-api-key', 'enable-webhook', 'reset-api-key'],
    );
  });

  test('after a leak the operator creates a new signing secret, which is used from then on', async () => {
    const { person, id, webhookUrl, secret } = await newListener();
    const { secret: fresh } = await resetWebhookSecret(t.as(operator), { id });
    assert.notEqual(fresh, secret);
    await resetApiKey(t.as(person), { clientAppId: id });
    assert.equal((await received(webhookUrl, fresh)).length, 1);
    await assert.rejects(received(webhookUrl, secret));
  });

  test('its owner sets the webhook later, moves it and removes it; the secret stays the same', async () => {
    const person = newPerson();
    const { id, secret } = await newApp(t, person);
    const subscribeEvents = ['client-app.api-key-reset'];
    const [first, second] = ['https://later.example/one', 'https://later.example/two'];
    const set = await setWebhook(t.as(person), { id, body: { webhookUrl: first, subscribeEvents } });
    assert.deepEqual([set.webhookUrl, set.subscribeEvents, set.secret], [first, subscribeEvents, undefined]);
    await resetApiKey(t.as(person), { clientAppId: id });
    assert.equal((await received(first, secret)).length, 1);
    const moved = await setWebhook(t.as(person), { id, body: { webhookUrl: second } });
    assert.deepEqual([moved.webhookUrl, moved.subscribeEvents], [second, subscribeEvents]);
    await resetApiKey(t.as(person), { clientAppId: id });
    assert.equal((await received(second, secret)).length, 1);
    const removed = await removeWebhook(t.as(person), { id });
    assert.deepEqual([removed.webhookUrl, removed.subscribeEvents], [undefined, []]);
    await resetApiKey(t.as(person), { clientAppId: id });
    assert.equal((await received(second, secret)).length + (await received(first, secret)).length, 2);
    assert.deepEqual(await findWebhookSecrets(t.services, id), [secret]);
    const { actions = [] } = await getById(t.as(person), { id });
    assert.deepEqual(actions.filter(({ action }) => action.endsWith('webhook')).length, 3);
  });

  test('a webhook or origins that cannot be used are refused, and a stranger finds no application', async () => {
    const person = newPerson();
    const { id } = await newApp(t, person);
    for (const body of [
      { webhookUrl: 'http://app.example/' },
      { webhookUrl: 'https://u:p@app.example/' },
      { webhookUrl: 'https://app.example/', subscribeEvents: ['nothing.happened'] },
    ])
      await assert.rejects(setWebhook(t.as(person), { id, body }), fails('VALIDATION_FAILED'));
    for (const allowedOrigins of [['https://app.example/path'], ['*'], ['app.example']])
      await assert.rejects(setOrigins(t.as(person), { id, body: { allowedOrigins } }), fails('VALIDATION_FAILED'));
    const mallory = t.as(newPerson());
    await assert.rejects(
      setWebhook(mallory, { id, body: { webhookUrl: 'https://evil.example/' } }),
      fails('ENTITY_NOT_FOUND'),
    );
    await assert.rejects(removeWebhook(mallory, { id }), fails('ENTITY_NOT_FOUND'));
    await assert.rejects(setOrigins(mallory, { id, body: { allowedOrigins: [] } }), fails('ENTITY_NOT_FOUND'));
  });

  test('its owner sets the origins later; they take effect at once, and its history names them', async () => {
    const person = newPerson();
    const { id } = await newApp(t, person, { allowedReferrers: ['https://app.example/a'] });
    await decideClientApp(t.as(operator), { id, decision: 'approve' });
    const origin = 'https://later-origin.example';
    assert.equal(await isKnownOrigin(t.services.db.pool, origin), false);
    const set = await setOrigins(t.as(person), { id, body: { allowedOrigins: [origin, origin] } });
    assert.deepEqual([set.allowedOrigins, set.allowedReferrers], [[origin], ['https://app.example/a']]);
    assert.equal(await isKnownOrigin(t.services.db.pool, origin), true);
    assert.equal(set.actions?.at(-1)?.notes, origin);
    await setOrigins(t.as(person), { id, body: { allowedOrigins: [], allowedReferrers: [] } });
    assert.equal(await isKnownOrigin(t.services.db.pool, origin), false);
  });

  test('webhooks are enabled and disabled by the operator alone, and only where there is one', async () => {
    const { person, id } = await newListener();
    const silent = await newApp(t, person);
    const verbs = [
      (actor: Actor, to: string) => disableWebhook(t.as(actor), { id: to, reason: 'x' }),
      (actor: Actor, to: string) => enableWebhook(t.as(actor), { id: to }),
    ];
    for (const verb of verbs) {
      await assert.rejects(verb(person, id), fails('ROLE_NOT_ALLOWED'));
      await assert.rejects(verb(operator, silent.id), fails('STATE_CONFLICT'));
      await assert.rejects(verb(operator, 'missing'), fails('ENTITY_NOT_FOUND'));
    }
    await assert.rejects(resetWebhookSecret(t.as(person), { id }), fails('ROLE_NOT_ALLOWED'));
    await assert.rejects(resetWebhookSecret(t.as(operator), { id: 'missing' }), fails('ENTITY_NOT_FOUND'));
  });
});
