import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { bound, until } from '@latchkey/test-kit';
import { sql as raw } from 'kysely';
import { openBus } from '../bus/index.ts';
import { type Database, openDatabase } from '../database.ts';
import { migrate } from '../migrate.ts';
import { type PrivateCluster, withCluster } from '../testing/index.ts';
import { enqueue, leased, startWorker } from './index.ts';
import { kindOf, listeningLog, seededRandom } from './test-kit.ts';

test('a database outage', async (t) => {
  await withCluster(async (cluster) => {
    await migrate(cluster.url);
    await t.test('worker, bus and callers survive a fast and an immediate restart', (part) =>
      liveThrough(part, cluster),
    );
    await t.test('a worker can be stopped meanwhile', (part) => stopWithout(part, cluster));
  });
});

async function liveThrough(t: TestContext, cluster: PrivateCluster): Promise<void> {
  const log = listeningLog();
  const db = openDatabase({ url: cluster.url, log });
  const bus = openBus({ url: cluster.url, log });
  let reconnects = 0;
  bus.onReconnect(() => {
    reconnects += 1;
  });
  await bus.ready();
  await raw`create table ledger (n int)`.execute(db.system);
  const ran = new Set<unknown>();
  const exact = kindOf('exact', (payload, run) =>
    db.transaction('system', async (tx) => {
      await raw`insert into ledger values (${payload.n})`.execute(tx);
      await leased(run).finishIn(tx);
    }),
  );
  const plain = kindOf('plain', ({ n }) => {
    ran.add(n);
  });
  const worker = startWorker({ ...basics, db, log, kinds: [exact, plain] });
  const load = startLoad((n) => enqueue(db.system, n % 2 === 0 ? exact : plain, { n }));
  try {
    for (const mode of ['fast', 'immediate'] as const) {
      const known = load.acknowledged.length;
      await until('there is load', () => load.acknowledged.length > known + 100);
      const recoveredMs = await restart(cluster, db, mode);
      await bound(t, `continuing after a restart (${mode}) of the database`, recoveredMs, 5_000);
    }
    await load.stop();
    await until('no job is left', async () => (await db.pool.query('select from jobs limit 1')).rowCount === 0);
    await until('the bus is connected again', () => reconnects >= 2);

    const { rows } = await raw<{ n: number }>`select n from ledger order by n`.execute(db.system);
    const written = new Set(rows.map((row) => row.n));
    const lost = load.acknowledged.filter((n) => !written.has(n) && !ran.has(n));
    t.diagnostic(`${load.acknowledged.length} enqueues acknowledged, ${load.refused()} refused, ${lost.length} lost`);
    assert.deepEqual(lost, []);
    assert.equal(written.size, rows.length, 'no effect happened twice');
    assert.ok(load.refused() > 0, 'the database was away under load');
  } finally {
    await load.stop();
    await worker.stop(1_000);
    await bus.close();
    await db.close();
  }
}

async function stopWithout(t: TestContext, cluster: PrivateCluster): Promise<void> {
  const log = listeningLog();
  const db = openDatabase({ url: cluster.url, log });
  let signal: AbortSignal | undefined;
  const kind = kindOf('stuck', (_payload, run) => {
    signal = run.signal;
    return new Promise(() => undefined);
  });
  const worker = startWorker({ ...basics, db, log, kinds: [kind] });
  await enqueue(db.system, kind, {});
  await until('the job runs', () => signal !== undefined);
  await cluster.stop('immediate');
  const before = performance.now();
  await worker.stop(200);
  await bound(t, 'stopping without a database', performance.now() - before, 5_000);
  assert.ok(signal?.aborted);
  await db.close();
}

const basics = { random: seededRandom(9), makeContext: () => ({}), validate: () => undefined };

/** Enqueues continuously from four concurrent callers, and records which calls were acknowledged. */
function startLoad(add: (n: number) => Promise<unknown>) {
  const acknowledged: number[] = [];
  let refused = 0;
  let isStopped = false;
  let n = 0;
  async function call(): Promise<void> {
    while (!isStopped) {
      n += 1;
      const mine = n;
      try {
        await add(mine);
        acknowledged.push(mine);
      } catch {
        refused += 1;
        await delay(20);
      }
    }
  }
  const callers = Array.from({ length: 4 }, call);
  return {
    acknowledged,
    refused: () => refused,
    stop: async () => {
      isStopped = true;
      await Promise.all(callers);
    },
  };
}

async function restart(cluster: PrivateCluster, db: Database, mode: 'fast' | 'immediate'): Promise<number> {
  const before = await effects(db);
  await cluster.stop(mode);
  await cluster.start();
  const backAt = performance.now();
  await until('work continues', async () => (await effects(db).catch(() => 0)) > before + 200);
  return performance.now() - backAt;
}

async function effects(db: Database): Promise<number> {
  const { rows } = await db.pool.query<{ n: number }>('select count(*) as n from ledger');
  return rows[0]?.n ?? 0;
}
