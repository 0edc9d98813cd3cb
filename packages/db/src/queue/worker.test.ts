import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { job, OpenObject, scheduledRetry } from '@latchkey/kernel';
import { until } from '@latchkey/test-kit';
import { sql as raw } from 'kysely';
import { deleteDead, enqueue, listDead, retryDead, startWorker } from './index.ts';
import { kindOf, openQueue, seededRandom, type TestQueue } from './test-kit.ts';

describe('queue: worker', () => {
  let queue: TestQueue;
  before(async () => {
    queue = await openQueue('worker');
  });
  after(() => queue.close());

  test('a failed attempt is retried after the delays of its kind, and counted', async () => {
    const attempts: number[] = [];
    const kind = kindOf(
      'flaky',
      (_payload, run) => {
        attempts.push(run.attempt);
        if (run.attempt < 3) throw new Error('not yet');
      },
      { retry: scheduledRetry([0.05, 0.05]) },
    );
    const worker = queue.start([kind]);
    await enqueue(queue.db.system, kind, {});
    await until('there were three tries', () => attempts.length === 3);
    await worker.idle();
    assert.deepEqual(attempts, [1, 2, 3]);
    assert.equal(await rowOf('flaky'), undefined);
  });

  test('the retry delay varies by at most a tenth', async () => {
    const kind = kindOf('jitter', () => Promise.reject(new Error('no')), { retry: scheduledRetry([1_000]) });
    const worker = queue.start([kind]);
    for (let n = 0; n < 20; n += 1) await enqueue(queue.db.system, kind, {});
    await worker.idle();
    // Each failed after it was created and before this check, however long that took.
    const { rows } = await raw<{ atMost: number; atLeast: number }>`
    select extract(epoch from run_at - created_at)::float8 as "atMost", extract(epoch from run_at - now())::float8 as "atLeast"
    from jobs where name = 'jitter'`.execute(queue.db.system);
    assert.equal(rows.length, 20);
    assert.ok(Math.min(...rows.map((row) => row.atMost)) >= 900, JSON.stringify(rows));
    const seconds = rows.map((row) => row.atLeast);
    assert.ok(Math.max(...seconds) <= 1_100, JSON.stringify(rows));
    assert.ok(Math.max(...seconds) - Math.min(...seconds) > 20, 'they are not all retried at once');
  });

  test('a job that fails too often is dead, can be listed, retried and deleted', async () => {
    let isBroken = true;
    const secretless = `upstream said no\0${'x'.repeat(1_000)}`;
    const kind = kindOf(
      'doomed',
      () => {
        if (isBroken) throw new Error(secretless);
      },
      { retry: scheduledRetry([0]) },
    );
    const worker = queue.start([kind]);
    await enqueue(queue.db.system, kind, { n: 1 }, { key: 'k', group: 'g', uniqueKey: 'u' });
    await until('the job is dead', async () => (await rowOf('doomed'))?.state === 'dead');
    await enqueue(queue.db.system, kind, { n: 2 }, { uniqueKey: 'u' });
    await until('both are dead', async () => (await listDead(queue.db.system, { limit: 10 })).length === 2);

    const [second, first] = await listDead(queue.db.system, { limit: 10 });
    assert.ok(first && second);
    assert.deepEqual([first.payload, first.failures, first.key, first.group], [{ n: 1 }, 2, 'k', 'g']);
    assert.equal(first.lastError, secretless.replace('\0', '').slice(0, 500));
    assert.deepEqual(await listDead(queue.db.system, { limit: 10, before: second.id }), [first]);
    assert.equal((await listDead(queue.db.system, { limit: 1 })).length, 1);

    isBroken = false;
    assert.equal(await retryDead(queue.db.system, first.id), 1);
    await worker.idle();
    assert.deepEqual(await listDead(queue.db.system, { limit: 10 }), [second]);
    assert.equal(await retryDead(queue.db.system, first.id), 0);
    isBroken = true;
    assert.equal(await retryDead(queue.db.system, 'all'), 1);
    await until('it is dead again', async () => (await listDead(queue.db.system, { limit: 10 })).length === 1);
    assert.equal(await deleteDead(queue.db.system, 'all'), 1);
    assert.equal(await deleteDead(queue.db.system, second.id), 0);
  });

  test('a payload that no longer matches its schema makes the job dead, with a clear message', async () => {
    let runs = 0;
    const kind = kindOf('outgrown', () => {
      runs += 1;
    });
    queue.start([kind], {
      validate: (_kind, payload) => (payload && 'to' in Object(payload) ? undefined : '"to" is missing.'),
    });
    await enqueue(queue.db.system, kind, { old: true });
    await until('the job is dead', async () => (await rowOf('outgrown'))?.state === 'dead');
    assert.equal((await rowOf('outgrown'))?.last_error, 'The payload is invalid for this job: "to" is missing.');
    assert.equal(runs, 0);
  });

  test('a free slot is used while all others are busy', async () => {
    let quick = 0;
    const gate = Promise.withResolvers<void>();
    const kind = kindOf('one-slot', async ({ isLong }) => {
      if (isLong) await gate.promise;
      else quick += 1;
    });
    for (let n = 0; n < 3; n += 1) await enqueue(queue.db.system, kind, { isLong: true });
    for (let n = 0; n < 20; n += 1) await enqueue(queue.db.system, kind, {});
    const worker = queue.start([kind], { concurrency: 4 });
    await until('the quick jobs have run', () => quick === 20);
    gate.resolve();
    await worker.idle();
  });

  test('an attempt that takes too long is aborted and counts as failed', async () => {
    let reason: unknown;
    const kind = kindOf(
      'endless',
      (_payload, { signal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => {
            reason = signal.reason;
          });
        }),
      { timeoutSeconds: 0.1, retry: scheduledRetry([]) },
    );
    queue.start([kind]);
    await enqueue(queue.db.system, kind, {});
    await until('the job is dead', async () => (await rowOf('endless'))?.state === 'dead');
    assert.equal((await rowOf('endless'))?.last_error, 'The attempt took longer than 0.1 seconds.');
    assert.ok(reason instanceof Error);
  });

  test('a worker runs as many jobs at a time as configured, and no more', async () => {
    let running = 0;
    let most = 0;
    const gate = Promise.withResolvers<void>();
    const kind = kindOf('crowd', async () => {
      running += 1;
      most = Math.max(most, running);
      await gate.promise;
      running -= 1;
    });
    const worker = queue.start([kind], { concurrency: 3 });
    for (let n = 0; n < 10; n += 1) await enqueue(queue.db.system, kind, {});
    await until('three run', () => running === 3);
    gate.resolve();
    await worker.idle();
    assert.equal(most, 3);
  });

  test('a stopping worker lets jobs finish within the grace period, and returns the rest untried', async () => {
    let slow = 0;
    const quick = Promise.withResolvers<void>();
    const kind = kindOf('stopping', async (payload, { signal }) => {
      if (payload.quick) return quick.promise;
      slow += 1;
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const worker = queue.start([kind]);
    await enqueue(queue.db.system, kind, { quick: true });
    await enqueue(queue.db.system, kind, { quick: false });
    await until('the slow job runs', () => slow === 1);
    const stopped = worker.stop(300);
    quick.resolve();
    await stopped;
    const rows = await queue.db.system.selectFrom('jobs').selectAll().where('name', '=', 'stopping').execute();
    assert.deepEqual(
      rows.map((row) => [row.state, row.failures, row.crashes, row.payload]),
      [['ready', 0, 0, { quick: false }]],
    );
  });

  test('two kinds of one name and leases above thirty seconds are refused', () => {
    const options = {
      db: queue.db,
      log: queue.log,
      random: seededRandom(1),
      makeContext: () => ({}),
      validate: () => undefined,
    };
    const kinds = [kindOf('same', () => undefined), kindOf('same', () => undefined)];
    assert.throws(() => startWorker({ ...options, kinds }), /Two kinds of job have the name "same"/);
    assert.throws(() => startWorker({ ...options, kinds: [], leaseSeconds: 31 }), /at most 30/);
  });

  test('a job’s context is created for its kind', async () => {
    const seen: unknown[] = [];
    const kind = job('with-context', { payload: OpenObject }, async (ctx: { made: string }) => {
      seen.push(ctx.made);
    });
    const worker = queue.start([kind], { makeContext: ({ name }) => ({ made: name }) });
    await enqueue(queue.db.system, kind, {});
    await worker.idle();
    assert.deepEqual(seen, ['with-context']);
  });

  function rowOf(name: string) {
    return queue.db.system.selectFrom('jobs').selectAll().where('name', '=', name).executeTakeFirst();
  }
});
