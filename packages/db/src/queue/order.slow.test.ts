import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { scheduledRetry } from '@latchkey/kernel';
import { seedNumber, until, volume } from '@latchkey/test-kit';
import { sql as raw } from 'kysely';
import { enqueue, enqueueMany, leased, listDead, retryDead } from './index.ts';
import { cutConnections, kindOf, openQueue, seeded, type TestQueue } from './test-kit.ts';

describe('queue: order', () => {
  let queue: TestQueue;
  before(async () => {
    queue = await openQueue('order');
  });
  after(() => queue.close());

  test('jobs with one key run in order, one at a time, whatever fails among four workers', async (t) => {
    const seed = seedNumber('order of keys');
    t.diagnostic(`seed ${seed}`);
    const next = seeded(seed);
    const keys = Array.from({ length: 12 }, (_, n) => `member-${n}`);
    const model = new Map<string, number[]>(keys.map((key) => [key, []]));
    const effects = new Map<string, number[]>(keys.map((key) => [key, []]));
    const running = new Set<string>();
    const overlaps: string[] = [];
    async function work(key: string, n: number): Promise<void> {
      if (running.has(key)) overlaps.push(key);
      running.add(key);
      try {
        if (next() < 0.3) await delay(next() * 8);
        if (next() < 0.15) throw new Error('by chance');
        effects.get(key)?.push(n);
      } finally {
        running.delete(key);
      }
    }
    const kind = kindOf(
      'ordered',
      async (payload, run) => {
        await work(String(payload.key), Number(payload.n));
        if (payload.isExact) await queue.db.transaction('system', (tx) => leased(run).finishIn(tx));
      },
      { retry: { delaySeconds: () => next() * 0.03 } },
    );
    const workers = Array.from({ length: 4 }, () => queue.start([kind], { concurrency: 6 }));
    for (let n = 0; n < volume(200, 1_200); n += 1) {
      const key = keys[Math.floor(next() * keys.length)] ?? '';
      model.get(key)?.push(n);
      const payload = { n, key, isExact: next() < 0.5 };
      await enqueue(queue.db.system, kind, payload, next() < 0.5 ? { key } : { key, group: key });
      if (n % 40 === 0) await delay(next() * 20);
    }
    await until('all jobs are done', async () => (await statesOf('ordered')).length === 0);
    await Promise.all(workers.map((worker) => worker.stop(60_000)));
    assert.deepEqual(Object.fromEntries(effects), Object.fromEntries(model));
    assert.deepEqual(overlaps, []);
  });

  test('no job of a key is lost or left behind when the workers lose their connections', async () => {
    const next = seeded(77);
    const ended: number[] = [];
    await raw`create table chain (place int generated always as identity, n int)`.execute(queue.db.system);
    const kind = kindOf('cut-chain', async (payload, run) => {
      await delay(next() * 3);
      await queue.db.transaction('system', async (tx) => {
        await raw`insert into chain (n) values (${payload.n})`.execute(tx);
        await leased(run).finishIn(tx);
      });
      ended.push(Number(payload.n));
    });
    const jobs = Array.from({ length: 150 }, (_, n) => ({ payload: { n }, key: `k${n % 2}` }));
    await enqueueMany(queue.db.system, kind, jobs);
    for (let n = 0; n < 3; n += 1) queue.start([kind], { concurrency: 5 });
    for (const mark of [30, 60, 90]) {
      await until(`${mark} jobs have ended`, () => ended.length >= mark);
      await cutConnections(queue.url, 'latchkey-worker');
    }
    await until('all jobs are done', async () => (await statesOf('cut-chain')).length === 0);
    const { rows } = await raw<{ n: number }>`select n from chain order by n % 2, place`.execute(queue.db.system);
    assert.deepEqual(
      rows.map((row) => row.n),
      jobs.map((job) => job.payload.n).toSorted((a, b) => (a % 2) - (b % 2) || a - b),
    );
  });

  test('a job that waits for a retry holds back its key and no other', async () => {
    const ended: string[] = [];
    const kind = kindOf(
      'held-back',
      (payload) => {
        if (payload.n === 1 && !ended.includes('b1')) throw new Error('later');
        ended.push(String(payload.n));
      },
      { retry: { delaySeconds: () => 0.1 } },
    );
    await enqueue(queue.db.system, kind, { n: 1 }, { key: 'a' });
    await enqueue(queue.db.system, kind, { n: 2 }, { key: 'a' });
    await enqueue(queue.db.system, kind, { n: 3 }, { key: 'a' });
    const worker = queue.start([kind]);
    const isHeldBack = async () => (await statesOf('held-back')).join() === 'delayed,blocked,blocked';
    await until('the first holds back the others', isHeldBack);
    await enqueue(queue.db.system, kind, { n: 'b1' }, { key: 'b' });
    await until('all have ended', () => ended.length === 4);
    await worker.idle();
    assert.deepEqual(ended, ['b1', '1', '2', '3']);
  });

  test('a dead job frees its key, and resumes its position when it is retried', async () => {
    const ended: unknown[] = [];
    let isBroken = true;
    const gate = Promise.withResolvers<void>();
    const kind = kindOf(
      'dead-head',
      async (payload) => {
        if (payload.n === 1 && isBroken) throw new Error('no');
        if (payload.n === 2) await gate.promise;
        ended.push(payload.n);
      },
      { retry: scheduledRetry([]) },
    );
    for (const n of [1, 2, 3]) await enqueue(queue.db.system, kind, { n }, { key: 'a' });
    const worker = queue.start([kind]);
    const isFreed = async () => (await statesOf('dead-head')).join() === 'dead,running,blocked';
    await until('the second runs', isFreed);
    isBroken = false;
    const [dead] = await listDead(queue.db.system, { limit: 1 });
    await retryDead(queue.db.system, dead?.id ?? '');
    gate.resolve();
    await until('all have ended', () => ended.length === 3);
    await worker.idle();
    assert.deepEqual(ended, [2, 1, 3]);
  });

  test('an older job whose transaction commits late does not run beside a newer one of its key', async () => {
    let running = 0;
    let most = 0;
    const started: unknown[] = [];
    const gate = Promise.withResolvers<void>();
    const kind = kindOf('late-commit', async (payload) => {
      started.push(payload.n);
      running += 1;
      most = Math.max(most, running);
      await gate.promise;
      running -= 1;
    });
    const other = kindOf('late-commit-probe', () => {
      started.push('probe');
    });
    const worker = queue.start([kind, other]);
    await queue.db.transaction('system', async (tx) => {
      await enqueue(tx, kind, { n: 1 }, { key: 'a' });
      await enqueue(queue.db.system, kind, { n: 2 }, { key: 'a' });
      await until('one has started', () => started.length === 1);
    });
    await enqueue(queue.db.system, other, {});
    await until('the probe has run', () => started.includes('probe'));
    gate.resolve();
    await until('all have started', () => started.length === 3);
    await worker.idle();
    assert.deepEqual(started, [2, 'probe', 1]);
    assert.equal(most, 1);
  });

  test('two workers that concurrently take two jobs of one key do not both get one', async () => {
    const started: unknown[] = [];
    const kind = kindOf('same-moment', ({ n }) => {
      started.push(n);
    });
    const rival = await queue.db.pool.connect();
    await queue.db.transaction('system', async (tx) => {
      await enqueue(tx, kind, { n: 1 }, { key: 'a' });
      await enqueue(queue.db.system, kind, { n: 2 }, { key: 'a' });
      await rival.query('select pg_advisory_lock(4817224, 7)');
      await rival.query('begin');
      await rival.query(
        `update jobs set state = 'running', lease_owner = 7, lease_until = now() + interval '1 h' where name = 'same-moment'`,
      );
    });
    const worker = queue.start([kind]);
    await until('the worker waits for its rival', async () => {
      const { rowCount } = await queue.db.pool.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~ 'wanted'",
      );
      return rowCount === 1;
    });
    await rival.query('commit');
    const isSetAside = async () => (await statesOf('same-moment')).join() === 'blocked,running';
    await until('the first is set aside', isSetAside);
    assert.deepEqual(started, []);
    await rival.query("delete from jobs where name = 'same-moment' and state = 'running'");
    await rival.query('select pg_advisory_unlock_all()');
    rival.release();
    await until('one has started', () => started.length === 1);
    await worker.idle();
    assert.deepEqual(started, [1]);
  });

  test('a job with a key refuses to be finished in a transaction that cannot see its successors', async () => {
    const kind = kindOf(
      'repeatable',
      async (_payload, run) => {
        const strict = queue.db.system.transaction().setIsolationLevel('repeatable read');
        await strict.execute((tx) => leased(run).finishIn(tx));
      },
      { retry: scheduledRetry([]) },
    );
    queue.start([kind]);
    await enqueue(queue.db.system, kind, {}, { key: 'a' });
    await until('the job is dead', async () => (await statesOf('repeatable')).join() === 'dead');
    const row = await queue.db.system
      .selectFrom('jobs')
      .selectAll()
      .where('name', '=', 'repeatable')
      .executeTakeFirst();
    assert.match(row?.last_error ?? '', /read committed/);
  });

  test('thousands of jobs behind one of their key are set aside once and then cost nothing', async () => {
    const jobs = volume(3_000, 20_000);
    const started: unknown[] = [];
    const gate = Promise.withResolvers<void>();
    const kind = kindOf('backlog', async (payload) => {
      started.push(payload.n);
      if (payload.n === 1) await gate.promise;
    });
    await raw`insert into jobs (name, key, payload) select 'backlog', 'hot', jsonb_build_object('n', n)
    from generate_series(1, ${jobs}::int) as n`.execute(queue.db.system);
    const worker = queue.start([kind]);
    await enqueue(queue.db.system, kind, { n: 'free' });
    await until('two have started', () => started.length === 2);
    assert.deepEqual(started, [1, 'free']);
    const { rows } = await raw<{ state: string; jobs: number }>`
    select state, count(*)::int as jobs from jobs where name = 'backlog' group by state order by state`.execute(
      queue.db.system,
    );
    assert.deepEqual(rows.find((row) => row.state === 'blocked')?.jobs, jobs - 1);
    gate.resolve();
    await until('twenty more have started', () => started.length > 20);
    assert.deepEqual(
      started.slice(2, 20),
      Array.from({ length: 18 }, (_, n) => n + 2),
    );
    await worker.stop(1_000);
  });

  async function statesOf(name: string): Promise<string[]> {
    const rows = await queue.db.system
      .selectFrom('jobs')
      .select('state')
      .where('name', '=', name)
      .orderBy('id')
      .execute();
    return rows.map((row) => row.state);
  }
});
