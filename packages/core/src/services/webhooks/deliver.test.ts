import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { EgressFailed } from '../../ports/index.ts';
import { mallory, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { deliver } from './deliver.ts';
import { fanOut } from './emit.ts';
import { disableEndpoint, dropEndpoint, enableEndpoint, putEndpoint, retireEndpoint } from './endpoint.ts';
import { redeliver } from './redeliver.ts';
import { answer, deliveriesOf, emitEvent, newDelivery, newReceiver, requestsTo, run, tryDelivery } from './testing.ts';

describe('webhooks: deliver', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('webhooks/deliver');
  });
  after(() => t.close());

  test('a receiver that stays down gets ten attempts over 75.6 hours, all with one id and one body', async () => {
    t.answer(() => Promise.reject(new EgressFailed('connect', 'The receiver could not be reached.')));
    const receiver = await newReceiver(t);
    const delivery = await newDelivery(t, receiver);
    const start = t.services.clock().getTime();
    for (let attempt = 1; ; attempt += 1) {
      const { row, error } = await tryDelivery(t, delivery, { attempt });
      assert.deepEqual([row.attempts, row.last_status], [attempt, null]);
      const pauseSeconds = deliver.retry.delaySeconds(attempt);
      assert.equal(row.status, pauseSeconds === undefined ? 'failed' : 'pending');
      // The last attempt ends the job without another retry.
      assert.equal(error === undefined, pauseSeconds === undefined);
      if (pauseSeconds === undefined) break;
      t.advanceSeconds(pauseSeconds);
    }
    const hours = (t.services.clock().getTime() - start) / 3_600_000;
    assert.equal(hours.toFixed(1), '75.6');
    const sent = requestsTo(t, receiver);
    assert.equal(sent.length, 10);
    assert.deepEqual([...new Set(sent.map((request) => request.headers?.['webhook-id']))], [delivery.event_id]);
    assert.equal(new Set(sent.map((request) => request.body)).size, 1);
    assert.equal(new Set(sent.map((request) => request.headers?.['webhook-timestamp'])).size, 10);
  });

  test('a receiver that was down for an hour gets the event in the next slot, once', async () => {
    const receiver = await newReceiver(t);
    const delivery = await newDelivery(t, receiver);
    const upAt = t.services.clock().getTime() + 3_600_000;
    t.answer(() => answer(t.services.clock().getTime() < upAt ? 503 : 200));
    let attempt = 1;
    let result = await tryDelivery(t, delivery, { attempt });
    while (result.error !== undefined) {
      t.advanceSeconds(deliver.retry.delaySeconds(attempt) ?? 0);
      attempt += 1;
      result = await tryDelivery(t, delivery, { attempt });
    }
    assert.deepEqual([result.row.status, result.row.last_status, attempt], ['delivered', 200, 5]);
    assert.deepEqual(result.row.delivered_at, t.services.clock());

    // The job runs again, for example because its worker died before it could report success.
    const again = await tryDelivery(t, delivery, { attempt });
    assert.equal(again.error, undefined);
    assert.equal(requestsTo(t, receiver).length, 5);
  });

  test('a redirect counts as a failure and is not followed', async () => {
    const receiver = await newReceiver(t);
    t.answer(() => ({ ...answer(302), headers: { location: 'https://elsewhere.example/' } }));
    const { row, error } = await tryDelivery(t, await newDelivery(t, receiver));
    assert.deepEqual([row.status, row.last_status], ['pending', 302]);
    assert.ok(error instanceof Error);
    assert.ok(!t.requests.some(({ url }) => url.startsWith('https://elsewhere.example')));
  });

  test('410 disables the webhook: pending events are not sent, and no new ones are added', async () => {
    const receiver = await newReceiver(t);
    const [first, waiting] = [await newDelivery(t, receiver), await newDelivery(t, receiver)];
    t.answer(() => answer(410));
    const { row, error } = await tryDelivery(t, first);
    assert.deepEqual([row.status, row.last_status, row.attempts, error], ['disabled', 410, 1, undefined]);

    const left = await tryDelivery(t, waiting);
    assert.deepEqual([left.row.status, left.row.attempts, left.error], ['disabled', 0, undefined]);
    const { id } = await emitEvent(t, receiver);
    await run(t, fanOut, { eventId: id });
    assert.deepEqual(await deliveriesOf(t.services.db.system, id), []);
    assert.equal(requestsTo(t, receiver).length, 1);

    // After re-enabling, the rest can be resent with the old id.
    t.answer(() => answer(204));
    await t.services.db.transaction('system', (tx) => enableEndpoint(tx, receiver.clientId));
    await redeliver(t.as(receiver.owner), { clientId: receiver.clientId, deliveryId: waiting.id });
    const { row: sent } = await tryDelivery(t, { ...waiting, round: 2 });
    assert.equal(sent.status, 'delivered');
    assert.equal(requestsTo(t, receiver)[1]?.headers?.['webhook-id'], waiting.event_id);
  });

  test('410 from a URL that was replaced meanwhile does not disable the new one', async () => {
    const receiver = await newReceiver(t);
    const ctx = t.as(receiver.owner);
    const url = 'https://new.example/hook';
    const put = { clientId: receiver.clientId, ownerId: receiver.owner.userId, url, subscribeEvents: [] };
    t.answer(async () => {
      await ctx.tx((tx) => putEndpoint(ctx, tx, put));
      return answer(410);
    });
    await tryDelivery(t, await newDelivery(t, receiver));
    const { disabled_at } = await t.services.db.system
      .selectFrom('webhook_endpoints')
      .select('disabled_at')
      .where('client_id', '=', receiver.clientId)
      .executeTakeFirstOrThrow();
    assert.equal(disabled_at, null);
  });

  test('a new URL starts enabled and keeps the secret; the same one stays disabled', async () => {
    const receiver = await newReceiver(t);
    const ctx = t.as(receiver.owner);
    const put = (url: string) =>
      ctx.tx((tx) =>
        putEndpoint(ctx, tx, { clientId: receiver.clientId, ownerId: receiver.owner.userId, url, subscribeEvents: [] }),
      );
    await ctx.tx((tx) => disableEndpoint(ctx, tx, receiver.clientId, 'It failed.'));
    assert.deepEqual((await put(receiver.url)).endpoint.disabledReason, 'It failed.');
    const { endpoint, secret } = await put('https://new.example/hook');
    assert.deepEqual([endpoint.disabledAt, endpoint.disabledReason, secret], [undefined, undefined, undefined]);
  });

  test('events pending for a removed webhook are not sent', async () => {
    const receiver = await newReceiver(t);
    const delivery = await newDelivery(t, receiver);
    await t.as(receiver.owner).tx((tx) => dropEndpoint(tx, receiver.clientId));
    const { row } = await tryDelivery(t, delivery);
    assert.equal(row.status, 'disabled');
    assert.equal(requestsTo(t, receiver).length, 0);
  });

  test('the last event of a deleted application is still sent', async () => {
    t.answer(() => answer(204));
    const receiver = await newReceiver(t, ['client-app.deleted']);
    const { id } = await emitEvent(t, receiver, 'client-app.deleted');
    await t.as(receiver.owner).tx((tx) => retireEndpoint(t.services, tx, receiver.clientId));
    await run(t, fanOut, { eventId: id });
    const [delivery] = await deliveriesOf(t.services.db.system, id);
    assert.ok(delivery);
    assert.equal((await tryDelivery(t, delivery)).row.status, 'delivered');
  });

  test('a worker that stops in the middle has made no attempt', async () => {
    const receiver = await newReceiver(t);
    const controller = new AbortController();
    t.answer(() => {
      controller.abort(new Error('The worker stops.'));
      throw new EgressFailed('connect', 'The request was aborted.');
    });
    const { row, error } = await tryDelivery(t, await newDelivery(t, receiver), { signal: controller.signal });
    assert.equal(error, controller.signal.reason);
    assert.deepEqual([row.status, row.attempts], ['pending', 0]);
  });

  test('a redelivery sends the same event again and voids jobs of the earlier round', async () => {
    const receiver = await newReceiver(t);
    const delivery = await newDelivery(t, receiver);
    t.answer(() => answer(500));
    await tryDelivery(t, delivery);
    await redeliver(t.as(receiver.owner), { clientId: receiver.clientId, deliveryId: delivery.id });
    const { payload } = await t.services.db.system
      .selectFrom('jobs')
      .select('payload')
      .where('name', '=', deliver.name)
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    assert.deepEqual(payload, { deliveryId: delivery.id, round: 2 });

    t.answer(() => answer(204));
    assert.equal((await tryDelivery(t, delivery, { attempt: 2 })).row.status, 'pending');
    assert.equal((await tryDelivery(t, { ...delivery, round: 2 })).row.status, 'delivered');
    assert.equal(requestsTo(t, receiver).length, 2);
  });

  test('a stranger’s delivery and a missing one cannot be resent', async () => {
    const receiver = await newReceiver(t);
    const delivery = await newDelivery(t, receiver);
    const isMissing = { code: 'ENTITY_NOT_FOUND', message: 'Delivery not found.' };
    await assert.rejects(redeliver(t.as(mallory), { clientId: receiver.clientId, deliveryId: delivery.id }), isMissing);
    await assert.rejects(redeliver(t.as(mallory), { clientId: receiver.clientId, deliveryId: 'missing' }), isMissing);
    const [row] = await deliveriesOf(t.services.db.system, delivery.event_id);
    assert.equal(row?.round, 1);
  });
});
