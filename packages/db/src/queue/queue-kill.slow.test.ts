import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { enqueue, enqueueMany } from './index.ts';
import { kindOf, openQueue, seeded, type TestQueue, until } from './test-kit.ts';

describe('queue: queue kill', () => {
  const program = fileURLToPath(new URL('test-worker.ts', import.meta.url));
  const grant = kindOf('grant', () => undefined);
  const children = new Set<ChildProcess>();
  let queue: TestQueue;

  before(async () => {
    queue = await openQueue('kill');
    await queue.db.pool.query(`
    create table starts (job bigint, pid int);
    create table ledger (job bigint, pid int);
    create table refusals (job bigint, pid int)`);
  });
  after(async () => {
    await Promise.all([...children].map(kill));
    await queue.close();
  });

  function startChild(leaseSeconds: number): ChildProcess {
    const child = spawn(process.execPath, [program, queue.url, String(leaseSeconds)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    children.add(child);
    return child;
  }

  async function kill(child: ChildProcess): Promise<void> {
    children.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  async function count(table: 'starts' | 'ledger' | 'refusals' | 'jobs', where = 'true'): Promise<number> {
    const { rows } = await queue.db.pool.query<{ n: number }>(`select count(*) as n from ${table} where ${where}`);
    return rows[0]?.n ?? 0;
  }

  test('ten thousand jobs survive five kills: none lost, none done twice, drained within 10 s', async (t) => {
    const jobs = 10_000;
    const seed = 20_260_502;
    const next = seeded(seed);
    const kills = Array.from({ length: 5 }, () => Math.floor(next() * 7_500)).toSorted((a, b) => a - b);
    await enqueueMany(
      queue.db.system,
      grant,
      Array.from({ length: jobs }, (_, n) => ({ payload: { n, waitMs: n % 10 === 0 ? 5 : 0 } })),
    );
    const { rows } = await queue.db.pool.query<{ id: number }>('select id from jobs order by id');
    const workers = [startChild(30), startChild(30)];
    let inFlight = 0;
    for (const done of kills) {
      await until(async () => (await count('ledger')) >= done, 60_000, 50);
      const victim = Math.floor(next() * workers.length);
      inFlight += await count('jobs', `state = 'running'`);
      const old = workers[victim];
      workers[victim] = startChild(30);
      if (old) await kill(old);
    }
    const restartedAt = performance.now();
    const left = await count('jobs');
    await until(async () => (await count('jobs')) === 0, 60_000, 50);
    const drainedMs = performance.now() - restartedAt;
    await Promise.all(workers.map(kill));
    const ledger = await queue.db.pool.query<{ job: number }>('select job from ledger order by job');
    const done = ledger.rows.map((row) => row.job);
    t.diagnostic(
      `seed ${seed}, killed after ${kills} effects with ${inFlight} jobs in flight in all; ` +
        `${jobs - new Set(done).size} lost, ${done.length - new Set(done).size} duplicates; ` +
        `${left} jobs left at the last restart were drained in ${Math.round(drainedMs)} ms`,
    );
    assert.deepEqual(
      done,
      rows.map((row) => row.id),
    );
    assert.ok(drainedMs <= 10_000, `drained after ${drainedMs} ms`);
  });

  test('a worker that slept through its lease finds its effect refused, and goes on working', async (t) => {
    await queue.db.pool.query('truncate starts, ledger, refusals');
    const sleeper = startChild(2);
    await enqueue(queue.db.system, grant, { isTraced: true, waitMs: 5_000 });
    await until(async () => (await count('starts', `pid = ${sleeper.pid}`)) === 1);
    sleeper.kill('SIGSTOP');
    const stoppedAt = performance.now();
    const other = startChild(2);
    await until(async () => (await count('ledger', `pid = ${other.pid}`)) === 1, 30_000);
    t.diagnostic(
      `the job of a stopped worker with a lease of 2 s was done elsewhere after ${Math.round(performance.now() - stoppedAt)} ms`,
    );
    await kill(other);
    sleeper.kill('SIGCONT');
    await until(async () => (await count('refusals', `pid = ${sleeper.pid}`)) === 1);
    assert.equal(await count('ledger'), 1);

    await enqueue(queue.db.system, grant, {});
    await until(async () => (await count('ledger', `pid = ${sleeper.pid}`)) === 1);
    assert.equal(await count('jobs'), 0);
    await kill(sleeper);
  });
});
