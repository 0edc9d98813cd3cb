import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fails, newApp, newPerson } from '../../identity/client-apps/testing.ts';
import { EgressFailed } from '../../ports/index.ts';
import { disableEndpoint, getDelivery, listDeliveries } from '../../services/webhooks/index.ts';
import { answer, newDelivery, newReceiver, requestsTo, tryDelivery } from '../../services/webhooks/testing.ts';
import { mallory, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { replayDeliveries, resendDelivery, testEverySeconds, testWebhook } from './operations.ts';

describe('the log of deliveries', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('app-webhooks');
  });
  after(() => t.close());

  test('shows what was sent and how each attempt ended, newest first', async () => {
    const receiver = await newReceiver(t);
    const delivery = await newDelivery(t, receiver);
    t.answer(() => answer(500));
    await tryDelivery(t, delivery);
    t.answer(() => {
      throw new EgressFailed('timeout', 'The receiver took too long.');
    });
    t.advanceSeconds(5);
    await tryDelivery(t, delivery, { attempt: 2 });
    const ask = { clientId: receiver.clientId, deliveryId: delivery.id };
    const shown = await getDelivery(t.as(receiver.owner), ask);
    assert.deepEqual(JSON.parse(shown.body).data, { clientId: receiver.clientId });
    assert.deepEqual(
      shown.log.map(({ status, reason }) => [status, reason]),
      [
        [undefined, 'The receiver took too long.'],
        [500, 'The receiver returned 500 instead of a 2xx status.'],
      ],
    );
    await assert.rejects(getDelivery(t.as(mallory), ask), fails('ENTITY_NOT_FOUND'));
    const other = await newReceiver(t, undefined, receiver.owner);
    await assert.rejects(
      getDelivery(t.as(receiver.owner), { ...ask, clientId: other.clientId }),
      fails('ENTITY_NOT_FOUND'),
    );
  });

  test('masks what looks like a secret', async () => {
    const receiver = await newReceiver(t);
    const delivery = await newDelivery(t, receiver);
    const secrets = [`lk_cs_${'a'.repeat(43)}`, `whsec_${'b'.repeat(44)}`, `${'c'.repeat(21)}.${'d'.repeat(43)}`];
    await t.services.db.system
      .updateTable('events')
      .set({ body: JSON.stringify({ data: { secrets, kept: 'kept.words' } }) })
      .where('id', '=', delivery.event_id)
      .execute();
    const { body } = await getDelivery(t.as(receiver.owner), { clientId: receiver.clientId, deliveryId: delivery.id });
    assert.deepEqual(JSON.parse(body).data, { secrets: ['[masked]', '[masked]', '[masked]'], kept: 'kept.words' });
  });

  test('is listed by status, page by page', async () => {
    const receiver = await newReceiver(t);
    const ctx = t.as(receiver.owner);
    const sent: string[] = [];
    for (const status of [204, 500, 204, 204]) {
      const delivery = await newDelivery(t, receiver);
      t.answer(() => answer(status));
      await tryDelivery(t, delivery, { attempt: 10 });
      if (status === 204) sent.unshift(delivery.id);
      t.advanceSeconds(1);
    }
    const list = { clientId: receiver.clientId, status: 'delivered' as const, limit: 2 };
    const first = await listDeliveries(ctx, list);
    const second = await listDeliveries(ctx, { ...list, paginationToken: first.paginationToken });
    assert.deepEqual(
      [...first.items, ...second.items].map(({ id }) => id),
      sent,
    );
    assert.equal(second.paginationToken, undefined);
    assert.equal((await listDeliveries(ctx, { clientId: receiver.clientId, status: 'failed' })).items.length, 1);
    const misused = listDeliveries(ctx, { ...list, status: 'failed', paginationToken: first.paginationToken });
    await assert.rejects(misused, fails('INVALID_PAGINATION_TOKEN'));
  });

  test('deliveries that failed since a time are sent again, once, and delivered ones are not', async () => {
    const receiver = await newReceiver(t);
    const ctx = t.as(receiver.owner);
    const tryAll = async (status: number) => {
      const delivery = await newDelivery(t, receiver);
      t.answer(() => answer(status));
      await tryDelivery(t, delivery, { attempt: 10 });
      t.advanceSeconds(60);
      return delivery;
    };
    await tryAll(500);
    const since = t.services.clock().toISOString();
    const failed = await tryAll(500);
    await tryAll(204);
    const replay = () => replayDeliveries(ctx, { id: receiver.clientId, body: { since } });
    assert.deepEqual(await replay(), { resent: 1, hasMore: false });
    assert.deepEqual(await replay(), { resent: 0, hasMore: false });
    const { items } = await listDeliveries(ctx, { clientId: receiver.clientId, status: 'pending' });
    assert.deepEqual(
      items.map(({ id }) => id),
      [failed.id],
    );
    const foreign = replayDeliveries(t.as(mallory), { id: receiver.clientId, body: { since } });
    await assert.rejects(foreign, fails('STATE_CONFLICT'));
    await assert.rejects(
      async () => replayDeliveries(ctx, { id: receiver.clientId, body: { since: 'yesterday' } }),
      fails('VALIDATION_FAILED'),
    );
  });

  test('nothing is resent to a disabled webhook', async () => {
    const receiver = await newReceiver(t);
    const ctx = t.as(receiver.owner);
    const delivery = await newDelivery(t, receiver);
    await ctx.tx((tx) => disableEndpoint(ctx, tx, receiver.clientId, 'It failed.'));
    const resend = resendDelivery(ctx, { id: receiver.clientId, deliveryId: delivery.id });
    await assert.rejects(resend, fails('STATE_CONFLICT'));
    const since = new Date(0).toISOString();
    await assert.rejects(replayDeliveries(ctx, { id: receiver.clientId, body: { since } }), fails('STATE_CONFLICT'));
    const { items } = await listDeliveries(ctx, { clientId: receiver.clientId });
    assert.equal(items[0]?.status, 'pending');
  });

  test('a resent delivery waits for the worker again', async () => {
    const receiver = await newReceiver(t);
    const delivery = await newDelivery(t, receiver);
    t.answer(() => answer(204));
    await tryDelivery(t, delivery);
    const shown = await resendDelivery(t.as(receiver.owner), { id: receiver.clientId, deliveryId: delivery.id });
    assert.deepEqual([shown.status, shown.attempts, shown.log.length], ['pending', 0, 1]);
    await tryDelivery(t, { ...delivery, round: 2 });
    assert.equal(requestsTo(t, receiver).length, 2);
  });
});

describe('a test event', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('test-webhook');
  });
  after(() => t.close());

  const webhookUrl = 'https://unsaved.example/hook';

  test('reaches a URL that is not saved, signed, and leaves nothing behind', async () => {
    const person = newPerson();
    const { id } = await newApp(t, person);
    t.answer(() => answer(201));
    const result = await testWebhook(t.as(person), { id, body: { webhookUrl, type: 'member.role-granted' } });
    assert.deepEqual([result.isDelivered, result.status], [true, 201]);
    const [request] = requestsTo(t, { url: webhookUrl });
    assert.equal(request?.body, result.body);
    assert.match(request?.headers?.['webhook-signature'] ?? '', /^v1,/);
    const { type, data } = JSON.parse(result.body);
    assert.deepEqual([type, data.isTest, typeof data.roleId], ['member.role-granted', true, 'string']);
    assert.deepEqual((await listDeliveries(t.as(person), { clientId: id })).items, []);
  });

  test('says what went wrong, and cannot be sent in a loop', async () => {
    const person = newPerson();
    const { id } = await newApp(t, person);
    const body = { webhookUrl, type: 'client-app.deleted' as const };
    t.answer(() => {
      throw new EgressFailed('connect', 'The receiver cannot be reached.');
    });
    const { isDelivered, status, reason } = await testWebhook(t.as(person), { id, body });
    assert.deepEqual([isDelivered, status, reason], [false, undefined, 'The receiver cannot be reached.']);
    await assert.rejects(testWebhook(t.as(person), { id, body }), fails('STATE_CONFLICT'));
    t.advanceSeconds(testEverySeconds);
    t.answer(() => answer(302));
    assert.match((await testWebhook(t.as(person), { id, body })).reason, /redirects are not followed/);
  });

  test('is refused for a stranger, and for a URL that could not be saved', async () => {
    const { id } = await newApp(t, newPerson());
    const before = t.requests.length;
    const body = { webhookUrl, type: 'client-app.deleted' as const };
    await assert.rejects(testWebhook(t.as(newPerson()), { id, body }), fails('STATE_CONFLICT'));
    const person = newPerson();
    const own = await newApp(t, person);
    for (const url of ['http://app.example/', 'https://u:p@app.example/', 'nothing'])
      await assert.rejects(
        testWebhook(t.as(person), { id: own.id, body: { ...body, webhookUrl: url } }),
        fails('VALIDATION_FAILED'),
      );
    assert.equal(t.requests.length, before);
  });
});
