import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { scheduledRetry } from '@latchkey/kernel';
import { until } from '@latchkey/test-kit';
import { sql as raw } from 'kysely';
import { enqueue, LeaseLost, leased } from './index.ts';
import { cutConnections, kindOf, openQueue, type TestQueue } from './test-kit.ts';

describe('queue: lease', () => {
  let queue: TestQueue;
  before(async () => {
    queue = await openQueue('lease');
  });
  after(() => queue.close());

  test('a job’s effect and completion are committed together or not at all', async () => {
    await raw`create table ledger (job text)`.execute(queue.db.system);
    let failures = 1;
    const kind = kindOf(
      'exact',
      (_payload, run) =>
        queue.db.transaction('system', async (tx) => {
          await raw`insert into ledger values (${run.id})`.execute(tx);
          await leased(run).finishIn(tx);
          failures -= 1;
          if (failures === 0) throw new Error('failed after finishing, before the commit');
        }),
      { retry: scheduledRetry([0.01]) },
    );
    const worker = queue.start([kind]);
    const added = await enqueue(queue.db.system, kind, {});
    await until('the job is done', async () => (await rowOf('exact')) === undefined);
    await worker.idle();
    const { rows } = await raw`select job from ledger`.execute(queue.db.system);
    assert.deepEqual(rows, [{ job: added?.id }]);
  });

  test('a worker that lost its connection aborts its jobs, and runs them again under a new name', async () => {
    const tries: { signal: AbortSignal; owner: number | null | undefined }[] = [];
    const gate = Promise.withResolvers<void>();
    const kind = kindOf('cut-off', async (_payload, { signal }) => {
      tries.push({ signal, owner: (await rowOf('cut-off'))?.lease_owner });
      if (tries.length === 1) await new Promise(() => undefined);
      await gate.promise;
    });
    const worker = queue.start([kind]);
    await enqueue(queue.db.system, kind, {});
    await until('the job runs', () => tries.length === 1);
    assert.ok((await cutConnections(queue.url, 'latchkey-worker')) > 0);
    await until('the job runs again', () => tries.length === 2);
    assert.ok(tries[0]?.signal.reason instanceof LeaseLost);
    assert.notEqual(tries[0]?.owner, tries[1]?.owner);
    gate.resolve();
    await worker.idle();
    assert.equal(await rowOf('cut-off'), undefined);
  });

  test('a stale run cannot finish, fail or keep the effect of a job that another run took', async () => {
    const runs: (() => void)[] = [];
    const endings: unknown[] = [];
    await raw`create table effects (attempt int)`.execute(queue.db.system);
    const kind = kindOf('stale', async (_payload, run) => {
      await new Promise<void>((resolve) => runs.push(resolve));
      try {
        await queue.db.transaction('system', async (tx) => {
          await raw`insert into effects values (${run.attempt})`.execute(tx);
          await leased(run).finishIn(tx);
        });
        endings.push('kept');
      } catch (error) {
        endings.push(error);
        throw error;
      }
    });
    const worker = queue.start([kind]);
    await enqueue(queue.db.system, kind, {});
    await until('the job runs', () => runs.length === 1);
    await cutConnections(queue.url, 'latchkey-worker');
    await until('the job runs again', () => runs.length === 2);
    runs[0]?.();
    await until('the stale run has ended', () => endings.length === 1);
    assert.ok(endings[0] instanceof LeaseLost);
    assert.equal((await rowOf('stale'))?.state, 'running');
    runs[1]?.();
    await worker.idle();
    assert.equal(endings[1], 'kept');
    const { rows } = await raw`select * from effects`.execute(queue.db.system);
    assert.equal(rows.length, 1);
  });

  // A worker whose only slot is taken cannot take its own job again; one that rarely extends its leases can.
  for (const [taker, options] of [
    ['another', { leaseSeconds: 3, concurrency: 1 }],
    ['the same', { leaseSeconds: 30, concurrency: 2 }],
  ] as const)
    test(`an expired lease is taken by ${taker} worker, and the first run is notified`, async () => {
      const name = `expired by ${taker}`;
      const signals: AbortSignal[] = [];
      const kind = kindOf(name, (_payload, { signal }) => {
        signals.push(signal);
        return signals.length === 1 ? new Promise(() => undefined) : undefined;
      });
      const worker = queue.start([kind], options);
      await enqueue(queue.db.system, kind, {});
      await until('the job runs', () => signals.length === 1);
      if (taker === 'another') queue.start([kind]);
      await until('the job was taken', async () => {
        // The first worker extends its lease now and then, so expire the lease explicitly.
        await raw`update jobs set lease_until = now() - interval '1 s'
        where name = ${name} and state = 'running' and lease_token = 1`.execute(queue.db.system);
        return signals.length === 2;
      });
      await until('the first run was notified', () => signals[0]?.aborted === true);
      await worker.idle();
      assert.equal(await rowOf(name), undefined);
    });

  test('a job that kills its worker every time is given up in the end', async () => {
    const kind = kindOf('killer', () => new Promise(() => undefined));
    await enqueue(queue.db.system, kind, {});
    await raw`update jobs set state = 'running', lease_owner = 1, lease_until = now() + interval '1 h', crashes = 9
    where name = 'killer'`.execute(queue.db.system);
    queue.start([kind]);
    await until('the job is dead', async () => (await rowOf('killer'))?.state === 'dead');
    assert.match((await rowOf('killer'))?.last_error ?? '', /worker vanished/);
  });

  test('a run that the queue did not start has no lease to finish', () => {
    const run = { id: '7', attempt: 1, signal: new AbortController().signal };
    assert.throws(() => leased(run), /was not started by the queue/);
  });

  test('a completion that waits for a transaction does not hold up other jobs', async () => {
    let runs = 0;
    const gate = Promise.withResolvers<void>();
    const awaited = kindOf('awaited', async () => {
      runs += 1;
      await gate.promise;
    });
    const other = kindOf('beside', () => gate.promise);
    const worker = queue.start([awaited, other]);
    await enqueue(queue.db.system, awaited, {}, { uniqueKey: 'x' });
    await enqueue(queue.db.system, other, {});
    await until('both run', async () => runs === 1 && (await rowOf('beside'))?.state === 'running');
    await queue.db.transaction('system', async (tx) => {
      assert.equal(await enqueue(tx, awaited, {}, { uniqueKey: 'x' }), undefined);
      gate.resolve();
      await until('the other is done', async () => (await rowOf('beside')) === undefined);
      assert.equal((await rowOf('awaited'))?.state, 'running');
    });
    await until('the awaited one is done', async () => (await rowOf('awaited')) === undefined);
    await worker.idle();
    assert.equal(runs, 2);
  });

  function rowOf(name: string) {
    return queue.db.system.selectFrom('jobs').selectAll().where('name', '=', name).executeTakeFirst();
  }
});
