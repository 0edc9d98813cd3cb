import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { mallory, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { fanOut } from './emit.ts';
import { emit, listDeliveries } from './index.ts';
import { removeOld } from './jobs.ts';
import {
  answer,
  deliveriesOf,
  emitEvent,
  newDelivery,
  newReceiver,
  requestsTo,
  run,
  startWebhookWorker,
  tryDelivery,
} from './testing.ts';

describe('webhooks', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('webhooks');
  });
  after(() => t.close());

  test('an event arrives through the worker, signed so that a foreign library accepts it', async () => {
    const receiver = await newReceiver(t);
    const worker = startWebhookWorker(t);
    try {
      const event = await emitEvent(t, receiver);
      await worker.idle();
      const [delivery] = await deliveriesOf(t.services.db.system, event.id);
      assert.deepEqual([delivery?.status, delivery?.attempts, delivery?.last_status], ['delivered', 1, 204]);

      const [request, ...more] = requestsTo(t, receiver);
      assert.equal(more.length, 0);
      const body = String(request?.body);
      const headers = request?.headers ?? {};
      assert.deepEqual(new Webhook(receiver.secret).verify(body, headers), {
        type: 'client-app.api-key-reset',
        timestamp: '2026-01-15T12:00:00.000Z',
        data: { clientId: receiver.clientId },
      });
      assert.equal(headers['webhook-id'], event.id);
      assert.match(event.id, /^msg_[0-9A-Za-z]{21}$/);
      assert.equal(headers['x-collabland-signature'], createHmac('sha256', receiver.secret).update(body).digest('hex'));
      assert.throws(() => new Webhook(receiver.secret).verify(`${body} `, headers));
    } finally {
      await worker.stop(1_000);
    }
  });

  test('a hanging receiver occupies at most two worker slots, and others are served meanwhile', async () => {
    const [slow, fast] = [await newReceiver(t), await newReceiver(t)];
    let waiting = 0;
    let mostWaiting = 0;
    const open = Promise.withResolvers<void>();
    const fastServed = Promise.withResolvers<void>();
    const bothHandsHeld = Promise.withResolvers<void>();
    t.answer(async ({ url }) => {
      if (url === fast.url) fastServed.resolve();
      if (url === slow.url) {
        mostWaiting = Math.max(mostWaiting, ++waiting);
        if (waiting === 2) bothHandsHeld.resolve();
        await open.promise;
        waiting -= 1;
      }
      return answer(204);
    });
    const notified = [];
    for (let count = 0; count < 6; count += 1) notified.push(await emitEvent(t, slow));
    const worker = startWebhookWorker(t);
    try {
      await emitEvent(t, fast);
      await Promise.all([fastServed.promise, bothHandsHeld.promise]);
      open.resolve();
      await worker.idle();
    } finally {
      open.resolve();
      await worker.stop(1_000);
    }
    assert.equal(mostWaiting, 2);
    for (const { id } of notified) {
      const [delivery] = await deliveriesOf(t.services.db.system, id);
      assert.equal(delivery?.status, 'delivered');
    }
  });

  test('an event of a rolled-back transaction is never sent', async () => {
    const { owner, clientId } = await newReceiver(t);
    const ctx = t.as(owner);
    const snapshot = async () => {
      const tables = ['events', 'jobs', 'webhook_deliveries'] as const;
      const { system } = t.services.db;
      return JSON.stringify(await Promise.all(tables.map((table) => system.selectFrom(table).selectAll().execute())));
    };
    const before = await snapshot();
    const halfWay = new Error('half-way');
    const attempt = ctx.tx(async (tx) => {
      await emit(ctx, tx, 'client-app.deleted', {
        ownerId: owner.userId,
        clientId,
        payload: { clientId, name: 'App' },
      });
      throw halfWay;
    });
    await assert.rejects(attempt, halfWay);
    assert.equal(await snapshot(), before);
  });

  test('no one can emit an event on behalf of another owner', async () => {
    const { owner } = await newReceiver(t);
    const ctx = t.as(mallory);
    const forged = ctx.tx((tx) =>
      emit(ctx, tx, 'organization.verified', { ownerId: owner.userId, payload: { organizationId: 'one' } }),
    );
    await assert.rejects(forged, /row-level security/);
  });

  test('an event goes to its own application, if subscribed', async () => {
    const receiver = await newReceiver(t);
    await newReceiver(t, ['client-app.api-key-reset'], receiver.owner);
    const { id } = await emitEvent(t, receiver);
    await run(t, fanOut, { eventId: id });
    assert.deepEqual(
      (await deliveriesOf(t.services.db.system, id)).map((row) => row.client_id),
      [receiver.clientId],
    );

    const other = await emitEvent(t, receiver, 'client-app.status-changed');
    await run(t, fanOut, { eventId: other.id });
    assert.deepEqual(await deliveriesOf(t.services.db.system, other.id), []);
  });

  test('an event without an application goes to all of its owner’s subscribed ones', async () => {
    const first = await newReceiver(t, ['organization.verified']);
    const second = await newReceiver(t, ['organization.verified'], first.owner);
    await newReceiver(t, ['client-app.deleted'], first.owner);
    await newReceiver(t, ['organization.verified']);
    const ctx = t.as(first.owner);
    const { id } = await ctx.tx((tx) =>
      emit(ctx, tx, 'organization.verified', { ownerId: first.owner.userId, payload: { organizationId: 'one' } }),
    );
    await run(t, fanOut, { eventId: id });
    const reached = (await deliveriesOf(t.services.db.system, id)).map((row) => row.client_id);
    assert.deepEqual(reached.sort(), [first.clientId, second.clientId].sort());
  });

  test('a fan-out that runs again, or twice at once, adds nothing', async () => {
    const receiver = await newReceiver(t);
    const { id } = await emitEvent(t, receiver);
    const jobsOf = async () => {
      const query = t.services.db.system.selectFrom('jobs').select('id').where('group_id', '=', receiver.clientId);
      return (await query.execute()).length;
    };
    await Promise.all([1, 2, 3].map(() => run(t, fanOut, { eventId: id })));
    await run(t, fanOut, { eventId: id });
    assert.equal((await deliveriesOf(t.services.db.system, id)).length, 1);
    assert.equal(await jobsOf(), 1);
    await run(t, fanOut, { eventId: 'msg_missing' });
  });

  test('owners see the log of their own deliveries, and strangers see none', async () => {
    const receiver = await newReceiver(t);
    t.answer(() => answer(500));
    const delivery = await newDelivery(t, receiver);
    await tryDelivery(t, delivery);
    const { clientId } = receiver;
    const { items } = await listDeliveries(t.as(receiver.owner), { clientId });
    const [line] = items;
    assert.deepEqual(
      [line?.id, line?.eventId, line?.type, line?.status, line?.attempts, line?.lastStatus, line?.deliveredAt],
      [delivery.id, delivery.event_id, 'client-app.api-key-reset', 'pending', 1, 500, undefined],
    );
    assert.match(line?.lastReason ?? '', /returned 500/);
    assert.deepEqual((await listDeliveries(t.as(mallory), { clientId })).items, []);
    assert.deepEqual((await listDeliveries(t.as(mallory), { clientId: 'missing' })).items, []);
  });

  test('no signing secret is in a table or in the log', async () => {
    const receiver = await newReceiver(t);
    t.answer(() => answer(500));
    await tryDelivery(t, await newDelivery(t, receiver));
    const tables = ['webhook_endpoints', 'events', 'webhook_deliveries', 'jobs'] as const;
    const { system } = t.services.db;
    const rows = await Promise.all(tables.map((table) => system.selectFrom(table).selectAll().execute()));
    const everything = JSON.stringify(rows) + t.log.lines.join();
    assert.ok(everything.includes(receiver.clientId));
    assert.ok(!everything.includes(receiver.secret.slice('whsec_'.length)));
  });

  test('events are deleted with their deliveries after 30 days, and no earlier', async () => {
    const delivery = await newDelivery(t, await newReceiver(t));
    t.advanceSeconds(30 * 24 * 60 * 60);
    const young = await newDelivery(t, await newReceiver(t));
    await run(t, removeOld, {});
    assert.equal((await deliveriesOf(t.services.db.system, delivery.event_id)).length, 1);
    t.advanceSeconds(1);
    await run(t, removeOld, {});
    assert.equal((await deliveriesOf(t.services.db.system, delivery.event_id)).length, 0);
    assert.equal((await deliveriesOf(t.services.db.system, young.event_id)).length, 1);
  });
});
