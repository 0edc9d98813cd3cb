import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '@latchkey/test-kit';
import { sql as raw } from 'kysely';
import type { Sql } from '../database.ts';
import { currentOrigin, runFrom } from '../origin.ts';
import { countByState, enqueue, enqueueMany } from './index.ts';
import { type Fields, kindOf, openQueue, type TestQueue } from './test-kit.ts';

describe('queue: enqueue', () => {
  let queue: TestQueue;
  before(async () => {
    queue = await openQueue('enqueue');
  });
  after(() => queue.close());

  test('a job is run with its payload and then deleted', async () => {
    const seen: Fields[] = [];
    const kind = kindOf('plain', (payload, job) => {
      seen.push({ ...payload, attempt: job.attempt, id: job.id });
    });
    const worker = queue.start([kind]);
    const added = await enqueue(queue.db.system, kind, { hello: 'wörld', list: [1, null, { deep: true }] });
    await until('the job has run', () => seen.length === 1);
    await worker.idle();
    assert.deepEqual(seen, [{ hello: 'wörld', list: [1, null, { deep: true }], attempt: 1, id: added?.id }]);
    assert.deepEqual(await rowsOf('plain'), []);
  });

  test('a job belongs to the request that caused it, across other jobs and for tenants, and scheduled jobs to none', async () => {
    const seen: Record<string, string | undefined> = {};
    const note = (name: unknown) => {
      seen[String(name)] = currentOrigin()?.requestId;
    };
    const last = kindOf('origin-last', ({ name }) => note(name));
    const first = kindOf('origin-first', async ({ name }) => {
      note(name);
      await enqueue(queue.db.system, last, { name: `${name}, later` });
    });
    const worker = queue.start([first, last], { concurrency: 1 });
    await runFrom({ requestId: 'request-1' }, () => enqueue(queue.db.system, first, { name: 'one' }));
    await runFrom({ requestId: 'request-2' }, () =>
      queue.db.transaction({ owner: 'tenant' }, (tx) => enqueue(tx, last, { name: 'tenant' })),
    );
    await runFrom({ requestId: 'request-3' }, () =>
      enqueueMany(queue.db.system, last, [{ payload: { name: 'many' } }, { payload: { name: 'more' } }]),
    );
    await enqueue(queue.db.system, first, { name: 'clock' });
    await until('all have run', () => Object.keys(seen).length === 7);
    await worker.idle();
    assert.deepEqual(seen, {
      one: 'request-1',
      'one, later': 'request-1',
      tenant: 'request-2',
      many: 'request-3',
      more: 'request-3',
      clock: undefined,
      'clock, later': undefined,
    });
  });

  test('a job appears only when its transaction commits', async () => {
    const kind = kindOf('outbox', () => undefined);
    await assert.rejects(
      queue.db.transaction('system', async (tx) => {
        assert.ok(await enqueue(tx, kind, {}));
        throw new Error('changed my mind');
      }),
    );
    assert.deepEqual(await rowsOf('outbox'), []);
    await queue.db.transaction({ owner: 'tenant' }, (tx) => enqueue(tx, kind, {}));
    assert.equal((await rowsOf('outbox')).length, 1);
  });

  test('a tenant’s transaction adds the same jobs as one of the system', async () => {
    const later = { delaySeconds: 3_600 };
    const ask = async (tx: Sql, name: string) => {
      const kind = kindOf(name, () => undefined);
      const first = await enqueue(
        tx,
        kind,
        { n: 1, text: 'wörld "\\\u0001' },
        { ...later, uniqueKey: 'u', group: 'g', key: 'k' },
      );
      const second = await enqueue(tx, kind, { n: 2 }, { ...later, uniqueKey: 'u' });
      const due = await enqueue(tx, kind, { n: 3 }, { runAt: new Date('2001-01-01T00:00:00Z') });
      const listed = [{ payload: { n: 4 }, uniqueKey: 'b' }, { payload: { n: 5 }, uniqueKey: 'a' }, { payload: {} }];
      const many = await enqueueMany(tx, kind, [...listed, ...listed.slice(0, 1), { payload: {}, uniqueKey: 'u' }]);
      return [typeof first?.id, second, typeof due?.id, many];
    };
    const asSystem = await queue.db.transaction('system', (tx) => ask(tx, 'by-system'));
    const asTenant = await queue.db.transaction({ owner: 'tenant' }, (tx) => ask(tx, 'by-tenant'));
    assert.deepEqual(asTenant, asSystem);
    const kept = async (name: string) =>
      (
        await raw`select key, group_id, unique_key, payload, state, run_at > created_at + interval '1 minute' as "isLater", again
          from jobs where name = ${name} order by id`.execute(queue.db.system)
      ).rows;
    const rows = await kept('by-tenant');
    assert.equal(rows.length, 5);
    assert.deepEqual(rows, await kept('by-system'));
  });

  test('a delayed job waits for its time by the database’s clock', async () => {
    const ran: unknown[] = [];
    const now = () => raw<{ now: number }>`select extract(epoch from clock_timestamp())::float8 as now`;
    const kind = kindOf('later', async ({ dueAt }) => {
      const { rows } = await now().execute(queue.db.system);
      ran.push(Number(rows[0]?.now) >= Number(dueAt));
    });
    const worker = queue.start([kind]);
    const { rows } = await now().execute(queue.db.system);
    const requested = Number(rows[0]?.now);
    await enqueue(queue.db.system, kind, { dueAt: requested + 0.3 }, { delaySeconds: 0.3 });
    await enqueue(queue.db.system, kind, { dueAt: requested + 3_600 }, { delaySeconds: 3_600 });
    await until('the first has run', () => ran.length > 0);
    await worker.idle();
    assert.deepEqual(ran, [true]);
    assert.deepEqual(
      (await rowsOf('later')).map((row) => row.state),
      ['delayed'],
    );
  });

  test('a date in the past means now', async () => {
    let runs = 0;
    const kind = kindOf('overdue', () => {
      runs += 1;
    });
    queue.start([kind]);
    await enqueue(queue.db.system, kind, {}, { runAt: new Date('2001-01-01') });
    await until('the job runs', () => runs === 1);
  });

  test('many jobs are added in one statement, each unique key once', async () => {
    const kind = kindOf('many', () => undefined);
    const jobs = Array.from({ length: 3_000 }, (_, n) => ({ payload: { n }, uniqueKey: `k${n % 2_000}` }));
    assert.equal(await enqueueMany(queue.db.system, kind, jobs), 2_000);
    assert.equal(await enqueueMany(queue.db.system, kind, jobs), 0);
    assert.equal(await enqueueMany(queue.db.system, kind, []), 0);
    const rows = await rowsOf('many');
    assert.deepEqual(
      rows.map((row) => row.unique_key).toSorted(),
      jobs
        .slice(0, 2_000)
        .map((job) => job.uniqueKey)
        .toSorted(),
    );
  });

  test('a list without unique keys keeps its order', async () => {
    const kind = kindOf('listed', () => undefined);
    await enqueueMany(
      queue.db.system,
      kind,
      Array.from({ length: 500 }, (_, n) => ({ payload: { n } })),
    );
    const { rows } = await raw<{ n: number }>`
    select (payload->>'n')::int as n from jobs where name = 'listed' order by id`.execute(queue.db.system);
    assert.deepEqual(
      rows.map((row) => row.n),
      Array.from({ length: 500 }, (_, n) => n),
    );
  });

  test('a unique key refuses a second job of its kind, and no other', async () => {
    const one = kindOf('unique-one', () => undefined);
    const other = kindOf('unique-other', () => undefined);
    assert.ok(await enqueue(queue.db.system, one, {}, { uniqueKey: 'a' }));
    assert.equal(await enqueue(queue.db.system, one, {}, { uniqueKey: 'a' }), undefined);
    assert.ok(await enqueue(queue.db.system, one, {}, { uniqueKey: 'b' }));
    assert.ok(await enqueue(queue.db.system, other, {}, { uniqueKey: 'a' }));
  });

  test('a job enqueued again while it runs, runs once more', async () => {
    let runs = 0;
    const gate = Promise.withResolvers<void>();
    const kind = kindOf('again', async () => {
      runs += 1;
      if (runs === 1) await gate.promise;
    });
    const worker = queue.start([kind]);
    await enqueue(queue.db.system, kind, {}, { uniqueKey: 'x' });
    await until('the job runs', () => runs === 1);
    assert.equal(await enqueue(queue.db.system, kind, {}, { uniqueKey: 'x' }), undefined);
    assert.equal(await enqueue(queue.db.system, kind, {}, { uniqueKey: 'x' }), undefined);
    gate.resolve();
    await worker.idle();
    assert.equal(runs, 2);
    assert.ok(await enqueue(queue.db.system, kind, {}, { uniqueKey: 'x' }), 'the key is free again');
  });

  test('a waiting job does not start before the transaction that depends on it has ended', async () => {
    const seen: unknown[] = [];
    const kind = kindOf('coalesced', async () => {
      const { rows } = await raw<{ n: number }>`select n from facts`.execute(queue.db.system);
      seen.push(rows.length);
    });
    await raw`create table facts (n int)`.execute(queue.db.system);
    await enqueue(queue.db.system, kind, {}, { uniqueKey: 'x' });
    const worker = await queue.db.transaction('system', async (tx) => {
      await raw`insert into facts values (1)`.execute(tx);
      assert.equal(await enqueue(tx, kind, {}, { uniqueKey: 'x' }), undefined);
      const other = kindOf('meanwhile', () => {
        seen.push('other');
      });
      const started = queue.start([kind, other]);
      await enqueue(queue.db.system, other, {});
      await until('the other has run', () => seen.includes('other'));
      return started;
    });
    await worker.idle();
    assert.deepEqual(seen, ['other', 1]);
  });

  test('jobs are counted by state', async () => {
    // Workers of other tests are not visible in this snapshot.
    const still = queue.db.system.transaction().setIsolationLevel('repeatable read');
    await still.execute(async (tx) => {
      const counts = await countByState(tx);
      assert.equal(counts.ready, (await rowsIn(tx, 'ready')).length);
      assert.equal(counts.delayed, (await rowsIn(tx, 'delayed')).length);
      assert.equal(counts.dead, 0);
    });
  });

  function rowsOf(name: string) {
    return queue.db.system.selectFrom('jobs').selectAll().where('name', '=', name).execute();
  }

  function rowsIn(sql: Sql, state: 'ready' | 'delayed') {
    return sql.selectFrom('jobs').select('id').where('state', '=', state).execute();
  }
});
