import type { Schedule } from '@latchkey/kernel';
import { Cron } from 'croner';
import { sql as raw } from 'kysely';
import type { Sql } from '../database.ts';
import { enqueue } from './enqueue.ts';

interface ScheduleRow {
  name: string;
  cron: string;
  nextRunAt: Date;
  now: Date;
}

/**
 * Prepares the schedules of one process. The answer enqueues what is due and tells in how many milliseconds the next
 * schedule is. The database's clock decides, and who moves the due time forward enqueues the run in the same transaction:
 * one run for each due time, however many processes ask and whatever their clocks say. After a pause of all processes a
 * schedule runs once, not once for each time missed.
 */
export function startScheduling(sql: Sql, schedules: readonly Schedule[]): () => Promise<number | undefined> {
  let areWritten = false;
  return async () => {
    if (schedules.length === 0) return undefined;
    if (!areWritten) await writeSchedules(sql, schedules);
    areWritten = true;
    return runDue(sql, schedules);
  };
}

// A changed cron expression counts from now on; an unchanged one keeps its due time, which may have passed meanwhile.
async function writeSchedules(sql: Sql, schedules: readonly Schedule[]): Promise<void> {
  const { rows } = await raw<{ now: Date }>`select now() as now`.execute(sql);
  for (const { now } of rows) {
    await sql
      .insertInto('schedules')
      .values(schedules.map(({ name, cron }) => ({ name, cron, next_run_at: nextRun(cron, now) })))
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet((row) => ({ cron: row.ref('excluded.cron'), next_run_at: row.ref('excluded.next_run_at') }))
          .whereRef('schedules.cron', '<>', 'excluded.cron'),
      )
      .execute();
  }
}

async function runDue(sql: Sql, schedules: readonly Schedule[]): Promise<number | undefined> {
  const waits: number[] = [];
  for (const row of await readSchedules(sql, schedules)) {
    const schedule = schedules.find(({ name }) => name === row.name);
    if (schedule === undefined) continue;
    const waitMs = row.nextRunAt.getTime() - row.now.getTime();
    if (waitMs > 0) waits.push(waitMs);
    else await enqueueRun(sql, schedule, row);
  }
  return waits.length > 0 ? Math.min(...waits) : undefined;
}

async function readSchedules(sql: Sql, schedules: readonly Schedule[]): Promise<ScheduleRow[]> {
  const { rows } = await raw<ScheduleRow>`
    select name, cron, next_run_at as "nextRunAt", now() as now from schedules
    where name = any(${schedules.map((schedule) => schedule.name)})`.execute(sql);
  return rows;
}

async function enqueueRun(sql: Sql, schedule: Schedule, row: ScheduleRow): Promise<void> {
  await sql.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('schedules')
      .set({ next_run_at: nextRun(row.cron, row.now) })
      .where('name', '=', row.name)
      // A value written by hand can have microseconds, which a Date does not hold.
      .where(raw<Date>`date_trunc('milliseconds', next_run_at)`, '=', row.nextRunAt)
      .executeTakeFirst();
    // The unique key keeps runs from piling up when one takes longer than the pause between them.
    if (numUpdatedRows === 1n) await enqueue(tx, schedule.job, {}, { uniqueKey: `schedule:${row.name}` });
  });
}

/** The first due time after `from`. Throws a sentence when the expression is wrong or never due. */
export function nextRun(cron: string, from: Date): Date {
  const next = new Cron(cron, { timezone: 'UTC', paused: true }).nextRun(from);
  if (next === null) throw new Error(`The schedule "${cron}" is never due again.`);
  return next;
}
