import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { job, type Schedule, T } from '@latchkey/kernel';
import { until } from '@latchkey/test-kit';
import { nextRun } from './index.ts';
import { openQueue, type TestQueue } from './test-kit.ts';
import { startScheduling } from './worker.ts';

describe('queue: schedules', () => {
  let queue: TestQueue;
  before(async () => {
    queue = await openQueue('schedules');
  });
  after(() => queue.close());

  function scheduleOf(name: string, cron: string, run: () => void = () => undefined): Schedule {
    const payload = T.Unsafe<Record<string, never>>(T.Object({}));
    return { name, cron, job: job(`job-of-${name}`, { payload }, async () => run()) };
  }

  test('three workers run a schedule once per due time', async () => {
    // Records every time that a worker found the schedule due and advanced it.
    await queue.db.pool.query(`
    create table due_times (next_run_at timestamptz);
    create function note_due() returns trigger language plpgsql as
      'begin insert into due_times values (new.next_run_at); return null; end';
    create trigger note_due after update on schedules for each row
      when (new.name = 'each-second') execute function note_due();
  `);
    let runs = 0;
    const every = scheduleOf('each-second', '* * * * * *', () => {
      runs += 1;
    });
    const workers = Array.from({ length: 3 }, () => queue.start([], { schedules: [every] }));
    await until('it has run twice', () => runs >= 2);
    await Promise.all(workers.map((worker) => worker.stop(60_000)));
    const { rows } = await queue.db.pool.query<{ next_run_at: Date }>('select next_run_at from due_times');
    assert.equal(new Set(rows.map((row) => row.next_run_at.getTime())).size, rows.length);
    assert.ok(runs <= rows.length, `${runs} runs for ${rows.length} due times`);
  });

  test('of many processes that find a schedule due, one enqueues it', async () => {
    const schedule = scheduleOf('contested', '0 0 1 1 *');
    const processes = Array.from({ length: 8 }, () => startScheduling(queue.db.system, [schedule]));
    await Promise.all(processes.map((run) => run()));
    assert.equal(await jobsOf('contested'), 0);
    await setNext('contested', '-1 minute');
    await Promise.all(processes.map((run) => run()));
    await Promise.all(processes.map((run) => run()));
    assert.equal(await jobsOf('contested'), 1);
  });

  test('a process that was slow to act on a due schedule does not enqueue it a second time', async () => {
    const schedule = scheduleOf('slow-process', '0 0 1 1 *');
    const processes = Array.from({ length: 4 }, () => startScheduling(queue.db.system, [schedule]));
    await Promise.all(processes.map((run) => run()));
    await queue.db.pool.query(`
    create table asked (name text);
    create function note_job() returns trigger language plpgsql as
      'begin insert into asked values (new.name); return null; end';
    create trigger note_job before insert on jobs for each row
      when (new.name = 'job-of-slow-process') execute function note_job();
  `);
    await setNext('slow-process', '-1 minute');
    const holder = await queue.db.pool.connect();
    await holder.query('begin');
    await holder.query("select from schedules where name = 'slow-process' for update");
    const runs = Promise.all(processes.map((run) => run()));
    await until('all wait for the lock', async () => {
      const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      return (await queue.db.pool.query(waiting)).rowCount === 4;
    });
    await holder.query('commit');
    holder.release();
    await runs;
    assert.equal((await queue.db.pool.query('select from asked')).rowCount, 1);
  });

  test('a schedule that was missed many times during an outage runs once', async () => {
    let runs = 0;
    const schedule = scheduleOf('missed', `${(new Date().getUTCMinutes() + 30) % 60} * * * *`, () => {
      runs += 1;
    });
    await startScheduling(queue.db.system, [schedule])();
    await setNext('missed', '-3 days');
    const worker = queue.start([], { schedules: [schedule] });
    await until('the schedule has run', () => runs === 1);
    await worker.idle();
    const next = await nextOf('missed');
    assert.ok(next.getTime() > Date.now(), 'the next due time lies ahead');
    await worker.stop(1_000);
    assert.equal(runs, 1);
  });

  test('a changed cron expression is picked up, an unchanged one keeps its due time', async () => {
    await startScheduling(queue.db.system, [scheduleOf('changed', '0 0 1 1 *')])();
    const yearly = await nextOf('changed');
    await startScheduling(queue.db.system, [scheduleOf('changed', '0 0 1 1 *')])();
    assert.deepEqual(await nextOf('changed'), yearly);
    await startScheduling(queue.db.system, [scheduleOf('changed', '30 12 24 12 *')])();
    const changed = await nextOf('changed');
    assert.deepEqual(
      [changed.getUTCMonth(), changed.getUTCDate(), changed.getUTCHours(), changed.getUTCMinutes()],
      [11, 24, 12, 30],
    );
  });

  test('a process with a wrong clock neither runs a schedule early nor twice', async (t) => {
    const schedule = scheduleOf('skewed', `0 ${(new Date().getUTCHours() + 12) % 24} * * *`);
    const right = startScheduling(queue.db.system, [schedule]);
    await right();
    const due = await nextOf('skewed');
    for (const skewMs of [-86_400_000, -360_000, 360_000, 86_400_000]) {
      t.mock.timers.enable({ apis: ['Date'], now: Date.now() + skewMs });
      await startScheduling(queue.db.system, [schedule])();
      t.mock.timers.reset();
      assert.deepEqual(await nextOf('skewed'), due, `skew of ${skewMs} ms`);
    }
    assert.equal(await jobsOf('skewed'), 0);
    await setNext('skewed', '-1 second');
    for (const skewMs of [-86_400_000, 86_400_000]) {
      t.mock.timers.enable({ apis: ['Date'], now: Date.now() + skewMs });
      await startScheduling(queue.db.system, [schedule])();
      t.mock.timers.reset();
    }
    assert.equal(await jobsOf('skewed'), 1);
    assert.deepEqual(await nextOf('skewed'), due);
  });

  test('runs of a schedule that takes longer than its interval do not pile up', async () => {
    const schedule = scheduleOf('slow', '0 0 1 1 *');
    const run = startScheduling(queue.db.system, [schedule]);
    await run();
    for (let n = 0; n < 3; n += 1) {
      await setNext('slow', '-1 minute');
      await run();
    }
    assert.equal(await jobsOf('slow'), 1);
  });

  test('due times are counted in UTC, and a wrong expression is refused', () => {
    assert.deepEqual(nextRun('15 3 * * *', new Date('2026-03-29T00:30:00Z')), new Date('2026-03-29T03:15:00Z'));
    assert.throws(() => nextRun('every day', new Date('2026-01-01')));
    assert.throws(() => nextRun('0 0 30 2 *', new Date('2026-01-01')), /never due/);
  });

  async function jobsOf(name: string): Promise<number> {
    const rows = await queue.db.system.selectFrom('jobs').select('id').where('name', '=', `job-of-${name}`).execute();
    return rows.length;
  }

  async function nextOf(name: string): Promise<Date> {
    const row = await queue.db.system
      .selectFrom('schedules')
      .selectAll()
      .where('name', '=', name)
      .executeTakeFirstOrThrow();
    return row.next_run_at;
  }

  async function setNext(name: string, shift: string): Promise<void> {
    await queue.db.pool.query(
      "update schedules set next_run_at = date_trunc('second', now() + $2::interval) where name = $1",
      [name, shift],
    );
  }
});
