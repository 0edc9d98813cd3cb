import { setTimeout as rest } from 'node:timers/promises';
import {
  type Database,
  enqueue,
  enqueueMany,
  leased,
  migrate,
  openDatabase,
  startWorker,
  systemRandom,
  type Worker,
} from '@latchkey/db';
import { withCluster } from '@latchkey/db/testing';
import { type JobKind, job, type Log, OpenObject } from '@latchkey/kernel';
import { sql as raw } from 'kysely';
import pg from 'pg';
import { expectBaseline } from './baseline.ts';

// How fast the queue is, compared with the simplest equivalent: a table and a loop of "begin; select … for update skip locked limit 1;
// delete; commit" over the same number of connections.
const jobs = 20_000;
const effects = 4_000;
const connections = 10;
const rounds = 3;

const quiet: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore, for: () => quiet };
function ignore(): void {}

let ran = 0;
let startedAt = 0;

async function main(url: string): Promise<void> {
  await migrate(url);
  // The system pool, which jobs use, gets half of the connections.
  const db = openDatabase({ url, log: quiet, maxConnections: 2 * connections });
  await db.pool.query(`
    create table plain_jobs (id bigint generated always as identity primary key, payload jsonb not null);
    create table ledger (n int)`);
  const noop = kindOf('noop', async () => undefined);
  const exact = kindOf('exact', (payload, run) =>
    db.transaction('system', async (tx) => {
      await raw`insert into ledger values (${payload.n})`.execute(tx);
      await leased(run).finishIn(tx);
    }),
  );
  const ours = { enqueue: [] as number[], noop: [] as number[], exact: [] as number[] };
  const plain = { enqueue: [] as number[], noop: [] as number[], exact: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    ours.enqueue.push(await rate(jobs, () => fill(db, noop, jobs)));
    ours.noop.push(await drain(db, [noop], jobs));
    plain.enqueue.push(await rate(jobs, () => fillPlain(db, jobs)));
    plain.noop.push(await drainPlain(db, jobs, []));
    await fill(db, exact, effects);
    ours.exact.push(await drain(db, [exact], effects));
    await fillPlain(db, effects);
    plain.exact.push(await drainPlain(db, effects, ['insert into ledger values (1)']));
  }
  const { rows } = await db.pool.query('select count(*)::int as n from ledger');
  expectBaseline(
    rows[0]?.n === 2 * rounds * effects,
    `The jobs left ${rows[0]?.n} of ${2 * rounds * effects} effects.`,
  );
  report('jobs without effect', ours.noop, plain.noop, 'jobs/s');
  report('jobs with an effect in their transaction', ours.exact, plain.exact, 'jobs/s');
  report('batch enqueue', ours.enqueue, plain.enqueue, 'jobs/s');
  report('idle latency', await latencies(db), await bareLatencies(db, url), 'ms');
  await db.close();
}

function kindOf(
  name: string,
  run: (payload: Record<string, unknown>, job: Parameters<typeof leased>[0]) => Promise<void>,
) {
  return job(name, { payload: OpenObject }, async (_ctx: unknown, payload, leasedRun) => {
    startedAt = performance.now();
    await run(payload, leasedRun);
    ran += 1;
  });
}

function work(db: Database, kinds: readonly JobKind[]): Worker {
  return startWorker({
    db,
    kinds,
    log: quiet,
    random: systemRandom,
    makeContext: () => ({}),
    validate: () => undefined,
    concurrency: 50,
  });
}

async function fill(db: Database, kind: ReturnType<typeof kindOf>, count: number): Promise<void> {
  const list = Array.from({ length: count }, (_, n) => ({
    payload: { n, address: '0x52908400098527886e0f7030069857d2e4169ee7' },
  }));
  for (let from = 0; from < count; from += 2_000) await enqueueMany(db.system, kind, list.slice(from, from + 2_000));
}

async function fillPlain(db: Database, count: number): Promise<void> {
  const list = Array.from({ length: count }, (_, n) =>
    JSON.stringify({ n, address: '0x52908400098527886e0f7030069857d2e4169ee7' }),
  );
  for (let from = 0; from < count; from += 2_000) {
    await db.pool.query('insert into plain_jobs (payload) select * from unnest($1::jsonb[])', [
      list.slice(from, from + 2_000),
    ]);
  }
}

async function drain(db: Database, kinds: readonly JobKind[], count: number): Promise<number> {
  ran = 0;
  const worker = work(db, kinds);
  const speed = await rate(count, async () => {
    while (ran < count) await rest(1);
    await worker.idle();
  });
  await worker.stop(1_000);
  return speed;
}

async function drainPlain(db: Database, count: number, effect: string[]): Promise<number> {
  let done = 0;
  async function loop(): Promise<void> {
    const client = await db.pool.connect();
    for (;;) {
      await client.query('begin');
      const { rows } = await client.query({
        name: 'plain-take',
        text: 'select id, payload from plain_jobs order by id for update skip locked limit 1',
      });
      for (const text of rows.length > 0 ? effect : []) await client.query(text);
      if (rows.length > 0)
        await client.query({ name: 'plain-end', text: 'delete from plain_jobs where id = $1', values: [rows[0].id] });
      await client.query('commit');
      if (rows.length === 0) break;
      done += 1;
    }
    client.release();
  }
  const speed = await rate(count, () => Promise.all(Array.from({ length: connections }, loop)));
  if (done !== count) throw new Error(`The plain loop did ${done} of ${count} jobs.`);
  return speed;
}

async function rate(count: number, act: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await act();
  return (count * 1000) / (performance.now() - before);
}

/** From the call of enqueue to the first line of the handler, with nothing else to do. */
async function latencies(db: Database): Promise<number[]> {
  const kind = kindOf('latency', async () => undefined);
  const worker = work(db, [kind]);
  await worker.idle();
  const samples: number[] = [];
  for (let n = 0; n < 100; n += 1) {
    ran = 0;
    const before = performance.now();
    await enqueue(db.system, kind, {});
    while (ran === 0) await new Promise((resolve) => setImmediate(resolve));
    samples.push(startedAt - before);
    await rest(20);
  }
  await worker.stop(1_000);
  return samples;
}

/** From an insert with a notification to the row being deleted by a listener. */
async function bareLatencies(db: Database, url: string): Promise<number[]> {
  const listener = new pg.Client({ connectionString: url });
  await listener.connect();
  await listener.query('listen plain');
  const samples: number[] = [];
  for (let n = 0; n < 100; n += 1) {
    const received = new Promise((resolve) => listener.once('notification', resolve));
    const before = performance.now();
    await db.pool.query("with added as (insert into plain_jobs (payload) values ('{}')) select pg_notify('plain', '')");
    await received;
    await listener.query(
      'delete from plain_jobs where id = (select id from plain_jobs for update skip locked limit 1)',
    );
    samples.push(performance.now() - before);
    await rest(20);
  }
  await listener.end();
  return samples;
}

function report(name: string, ours: number[], baseline: number[], unit: string): void {
  const [value, base] = [median(ours), median(baseline)];
  const digits = unit === 'ms' ? 1 : 0;
  console.log(
    `${name}: ${value.toFixed(digits)} ${unit}, baseline ${base.toFixed(digits)} ${unit}, ratio ${(value / base).toFixed(2)}`,
  );
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

await withCluster((cluster) => main(cluster.url));
