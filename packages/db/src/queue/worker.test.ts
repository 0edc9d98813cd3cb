import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { job, OpenObject, scheduledRetry } from '@latchkey/kernel';
import { sql as raw } from 'kysely';
import { deleteDead, enqueue, LeaseLost, leased, listDead, retryDead, startWorker } from './index.ts';
import { cutConnections, kindOf, openQueue, seededRandom, type TestQueue, until } from './test-kit.ts';

let queue: TestQueue;
before(async () => {
  queue = await openQueue('worker');
});
after(() => queue.close());

test('a failed try is repeated after the pauses of its kind, and counted', async () => {
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
  await until(() => attempts.length === 3);
  await worker.idle();
  assert.deepEqual(attempts, [1, 2, 3]);
  assert.equal(await rowOf('flaky'), undefined);
});

test('the pause before another try varies by at most a tenth', async () => {
  const kind = kindOf('jitter', () => Promise.reject(new Error('no')), { retry: scheduledRetry([1_000]) });
  const worker = queue.start([kind]);
  for (let n = 0; n < 20; n += 1) await enqueue(queue.db.system, kind, {});
  await worker.idle();
  const { rows } = await raw<{ seconds: number }>`
    select extract(epoch from run_at - now())::float8 as seconds from jobs where name = 'jitter'`.execute(
    queue.db.system,
  );
  const seconds = rows.map((row) => row.seconds);
  assert.ok(Math.min(...seconds) > 880 && Math.max(...seconds) <= 1_100, seconds.join());
  assert.ok(Math.max(...seconds) - Math.min(...seconds) > 20, 'they do not all come back at once');
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
  await until(async () => (await rowOf('doomed'))?.state === 'dead');
  await enqueue(queue.db.system, kind, { n: 2 }, { uniqueKey: 'u' });
  await until(async () => (await listDead(queue.db.system, { limit: 10 })).length === 2);

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
  await until(async () => (await listDead(queue.db.system, { limit: 10 })).length === 1);
  assert.equal(await deleteDead(queue.db.system, 'all'), 1);
  assert.equal(await deleteDead(queue.db.system, second.id), 0);
});

test('a payload that no longer fits its kind is not run but dead, with a sentence', async () => {
  let runs = 0;
  const kind = kindOf('outgrown', () => {
    runs += 1;
  });
  queue.start([kind], {
    validate: (_kind, payload) => (payload && 'to' in Object(payload) ? undefined : '"to" is missing.'),
  });
  await enqueue(queue.db.system, kind, { old: true });
  await until(async () => (await rowOf('outgrown'))?.state === 'dead');
  assert.equal((await rowOf('outgrown'))?.last_error, 'The payload does not fit the job: "to" is missing.');
  assert.equal(runs, 0);
});

test('a try that takes too long is aborted and counts as failed', async () => {
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
  await until(async () => (await rowOf('endless'))?.state === 'dead');
  assert.equal((await rowOf('endless'))?.last_error, 'The try took longer than 0.1 seconds.');
  assert.ok(reason instanceof Error);
});

test('a worker runs as many jobs at a time as it is told, and no more', async () => {
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
  await until(() => running === 3);
  gate.resolve();
  await worker.idle();
  assert.equal(most, 3);
});

test('an effect and the end of its job are kept together or not at all', async () => {
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
  await until(async () => (await rowOf('exact')) === undefined);
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
  await until(() => tries.length === 1);
  assert.ok((await cutConnections(queue.url, 'latchkey-worker')) > 0);
  await until(() => tries.length === 2, 5_000);
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
  await until(() => runs.length === 1);
  await cutConnections(queue.url, 'latchkey-worker');
  await until(() => runs.length === 2);
  runs[0]?.();
  await until(() => endings.length === 1);
  assert.ok(endings[0] instanceof LeaseLost);
  assert.equal((await rowOf('stale'))?.state, 'running');
  runs[1]?.();
  await worker.idle();
  assert.equal(endings[1], 'kept');
  const { rows } = await raw`select * from effects`.execute(queue.db.system);
  assert.equal(rows.length, 1);
});

test('a lease that ran out is taken by another worker, and the first one is told', async () => {
  const signals: AbortSignal[] = [];
  const kind = kindOf('expired', (_payload, { signal }) => {
    signals.push(signal);
    return signals.length === 1 ? new Promise(() => undefined) : undefined;
  });
  const worker = queue.start([kind], { leaseSeconds: 3 });
  await enqueue(queue.db.system, kind, {});
  await until(() => signals.length === 1);
  await raw`update jobs set lease_until = now() - interval '1 s' where name = 'expired'`.execute(queue.db.system);
  await until(() => signals.length === 2);
  await until(() => signals[0]?.aborted === true);
  await worker.idle();
  assert.equal(await rowOf('expired'), undefined);
});

test('a job that takes its worker down every time is given up in the end', async () => {
  const kind = kindOf('killer', () => new Promise(() => undefined));
  await enqueue(queue.db.system, kind, {});
  await raw`update jobs set state = 'running', lease_owner = 1, lease_until = now() + interval '1 h', crashes = 9
    where name = 'killer'`.execute(queue.db.system);
  queue.start([kind]);
  await until(async () => (await rowOf('killer'))?.state === 'dead');
  assert.match((await rowOf('killer'))?.last_error ?? '', /worker vanished/);
});

test('a stopping worker lets jobs end within the grace, and gives back the rest untried', async () => {
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
  await until(() => slow === 1);
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

test('a run that the queue did not start has no lease to finish', () => {
  const run = { id: '7', attempt: 1, signal: new AbortController().signal };
  assert.throws(() => leased(run), /was not started by the queue/);
});

test('the context of a job is made for its kind', async () => {
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
