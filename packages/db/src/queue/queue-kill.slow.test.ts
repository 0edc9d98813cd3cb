import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bound, seedNumber, until, volume } from '@latchkey/test-kit';
import { enqueue, enqueueMany } from './index.ts';
import { kindOf, openQueue, seeded, type TestQueue } from './test-kit.ts';

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
    create table refusals (job bigint, pid int);
    create table gates (pid int)`);
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

  test('thousands of jobs survive kills of their workers: none lost, none done twice, drained within 10 s', async (t) => {
    const jobs = volume(1_000, 10_000);
    const seed = seedNumber('queue kill');
    const next = seeded(seed);
    const kills = Array.from({ length: volume(2, 20) }, () => Math.floor(next() * jobs * 0.75)).toSorted(
      (a, b) => a - b,
    );
    await enqueueMany(
      queue.db.system,
      grant,
      Array.from({ length: jobs }, (_, n) => ({ payload: { n, waitMs: n % 10 === 0 ? 5 : 0 } })),
    );
    const { rows } = await queue.db.pool.query<{ id: number }>('select id from jobs order by id');
    const workers = [startChild(30), startChild(30)];
    let inFlight = 0;
    for (const done of kills) {
      await until(`${done} jobs are done`, async () => (await count('ledger')) >= done);
      const victim = Math.floor(next() * workers.length);
      inFlight += await count('jobs', `state = 'running'`);
      const old = workers[victim];
      workers[victim] = startChild(30);
      if (old) await kill(old);
    }
    const restartedAt = performance.now();
    const left = await count('jobs');
    await until('no job is left', async () => (await count('jobs')) === 0);
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
    await bound(t, 'draining the queue after the last kill', drainedMs, 10_000);
  });

  test('a worker that slept through its lease finds its effect refused, and keeps working', async (t) => {
    await queue.db.pool.query('truncate starts, ledger, refusals');
    const open = ({ pid }: ChildProcess) => queue.db.pool.query('insert into gates values ($1)', [pid]);
    const sleeper = startChild(2);
    await enqueue(queue.db.system, grant, { isGated: true });
    await until('the job has started', async () => (await count('starts', `pid = ${sleeper.pid}`)) > 0);
    sleeper.kill('SIGSTOP');
    const stoppedAt = performance.now();
    const other = startChild(30);
    await open(other);
    await until('another worker did the job', async () => (await count('ledger', `pid = ${other.pid}`)) === 1);
    t.diagnostic(
      `the job of a stopped worker with a lease of 2 s was done elsewhere after ${Math.round(performance.now() - stoppedAt)} ms`,
    );
    await kill(other);
    sleeper.kill('SIGCONT');
    await open(sleeper);
    await until('the effect was refused', async () => (await count('refusals', `pid = ${sleeper.pid}`)) > 0);
    assert.equal(await count('ledger'), 1);

    await enqueue(queue.db.system, grant, {});
    await until('the next job is done', async () => (await count('ledger', `pid = ${sleeper.pid}`)) === 1);
    await until('no job is left', async () => (await count('jobs')) === 0);
    await kill(sleeper);
  });
});
