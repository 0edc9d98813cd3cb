import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '@latchkey/test-kit';
import { enqueue, enqueueMany } from './index.ts';
import { kindOf, openQueue, type TestQueue } from './test-kit.ts';

describe('queue: fairness', () => {
  let queue: TestQueue;
  before(async () => {
    queue = await openQueue('fairness');
  });
  after(() => queue.close());

  test('a group runs at most as many jobs at a time as its kind allows', async () => {
    const running = new Map<string, number>();
    let most = 0;
    let ended = 0;
    const kind = kindOf(
      'limited',
      async ({ group }) => {
        const name = String(group);
        running.set(name, (running.get(name) ?? 0) + 1);
        most = Math.max(most, running.get(name) ?? 0);
        await new Promise((resolve) => setTimeout(resolve, 2));
        running.set(name, (running.get(name) ?? 0) - 1);
        ended += 1;
      },
      { maxRunningPerGroup: 2 },
    );
    const groups = Array.from({ length: 120 }, (_, n) => `g${n % 4}`);
    await enqueueMany(
      queue.db.system,
      kind,
      groups.map((group) => ({ payload: { group }, group })),
    );
    queue.start([kind], { concurrency: 20 });
    await until('all have ended', () => ended === 120);
    assert.equal(most, 2);
  });

  test('a group at its limit leaves the other slots to the groups behind it', async () => {
    const started: unknown[] = [];
    const gate = Promise.withResolvers<void>();
    const kind = kindOf(
      'saturated',
      async ({ group }) => {
        started.push(group);
        if (group === 'a-big') await gate.promise;
      },
      { maxRunningPerGroup: 2 },
    );
    const big = Array.from({ length: 1_000 }, () => ({ payload: { group: 'a-big' }, group: 'a-big' }));
    await enqueueMany(queue.db.system, kind, big);
    for (const group of ['b', 'c', 'd']) await enqueue(queue.db.system, kind, { group }, { group });
    await enqueue(queue.db.system, kind, { group: 'none' });
    const worker = queue.start([kind], { concurrency: 4 });
    await until('six have started', () => started.length === 6);
    assert.deepEqual(started.toSorted(), ['a-big', 'a-big', 'b', 'c', 'd', 'none']);
    gate.resolve();
    await worker.stop(1_000);
  });

  test('groups take turns, so a small one is served while a big one has thousands waiting', async () => {
    const order: unknown[] = [];
    const kind = kindOf('turns', ({ group }) => {
      order.push(group);
    });
    for (const [group, jobs] of Object.entries({ big: 3_000, small: 10, other: 10 })) {
      await enqueueMany(
        queue.db.system,
        kind,
        Array.from({ length: jobs }, () => ({ payload: { group }, group })),
      );
    }
    const worker = queue.start([kind], { concurrency: 1 });
    await until('thirty have run', () => order.length >= 30);
    await worker.stop(1_000);
    for (const group of ['big', 'small', 'other']) {
      assert.equal(order.slice(0, 30).filter((one) => one === group).length, 10, `${group} in ${order.slice(0, 30)}`);
    }
  });

  test('more groups than slots are all served before any is served twice', async () => {
    const order: unknown[] = [];
    const kind = kindOf('many-groups', ({ group }) => {
      order.push(group);
    });
    const groups = Array.from({ length: 40 }, (_, n) => `tenant-${n}`);
    const jobs = [...groups, ...groups].map((group) => ({ payload: { group }, group }));
    await enqueueMany(queue.db.system, kind, jobs);
    const worker = queue.start([kind], { concurrency: 3 });
    await worker.idle();
    assert.equal(order.length, 80);
    assert.equal(new Set(order.slice(0, 40)).size, 40);
  });

  test('kinds share the slots, so a flood of one does not hold up another', async () => {
    const order: string[] = [];
    const flood = kindOf('flood', () => {
      order.push('flood');
    });
    const rare = kindOf('rare', () => {
      order.push('rare');
    });
    await enqueueMany(
      queue.db.system,
      flood,
      Array.from({ length: 2_000 }, () => ({ payload: {} })),
    );
    await enqueueMany(
      queue.db.system,
      rare,
      Array.from({ length: 10 }, () => ({ payload: {} })),
    );
    const worker = queue.start([flood, rare], { concurrency: 5 });
    await until('twenty-five have run', () => order.length >= 25);
    await worker.stop(1_000);
    assert.equal(order.slice(0, 25).filter((name) => name === 'rare').length, 10, order.slice(0, 25).join());
  });
});
