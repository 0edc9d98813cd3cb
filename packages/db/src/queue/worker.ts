import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { JobKind, Log, Random, Schedule } from '@latchkey/kernel';
import { Cron } from 'croner';
import { sql as raw } from 'kysely';
import type { Session } from '../bus/session.ts';
import type { Database, Sql } from '../database.ts';
import { setAside, startClaiming } from './claim.ts';
import { type Crew, startCrew } from './crew.ts';
import { enqueue } from './enqueue.ts';
import { freeLostJobs, type Identity, readyDueJobs } from './lease.ts';
import { keepPresence, type Presence } from './presence.ts';
import type { RunOptions } from './run-job.ts';

export interface WorkerOptions extends RunOptions {
  db: Database;
  kinds: readonly JobKind[];
  schedules?: readonly Schedule[];
  random: Random;
  log: Log;
  /** How many jobs run at a time. */
  concurrency?: number;
  /** How long a worker that hangs keeps its jobs, at most 30. One that dies loses them at once. */
  leaseSeconds?: number;
  /** How long the database may be silent; a few seconds by default. */
  patienceMs?: number;
  /** Called after jobs were given up. */
  gaveUp?(): void;
}

export interface Worker {
  /** Claims no more jobs, waits up to `graceMs` for the running ones, then aborts and releases them. */
  stop(graceMs: number): Promise<void>;
  /** Resolves when no job of its kinds is ready or running, here or elsewhere. For tests. */
  idle(): Promise<void>;
}

const releasePatienceMs = 2_000;

/** Runs jobs until stopped, through restarts of the database. */
export function startWorker(options: WorkerOptions): Worker {
  const { db, log, schedules = [], concurrency = 20, leaseSeconds = 30 } = options;
  if (!(leaseSeconds > 0 && leaseSeconds <= 30)) throw new Error('leaseSeconds must be above 0 and at most 30.');
  const kinds = collectKinds(options.kinds, schedules);

  const crew = startCrew({
    ...options,
    pool: db.pool,
    kinds,
    concurrency,
    roomMade: () => pump.fill(),
    delayed: () => pump.ready(),
  });
  const presence: Presence = keepPresence({
    ...options,
    connection: db.directConnection,
    leaseSeconds,
    crew,
    opened: () => pump.sweep(),
    onState: (state) => (state === 'delayed' ? pump.ready() : pump.fill()),
  });
  const { identity } = presence;
  const runSchedules = startScheduling(db.system, schedules);
  const pump: Pump = startPump({
    log,
    sweep: async () => {
      const freed = await withSession(identity(), freeLostJobs);
      return freed === undefined ? undefined : runSchedules();
    },
    ready: () => withSession(identity(), readyDueJobs),
    fill: startFilling({ kinds: [...kinds.values()], concurrency, leaseSeconds, crew, identity }),
  });

  let stopped: Promise<void> | undefined;
  return {
    stop: (graceMs) => {
      stopped ??= stopWorker({ ...options, pump, crew, presence }, graceMs);
      return stopped;
    },
    idle: async () => {
      do {
        pump.ready();
        await crew.settled();
      } while (await hasWork(db, [...kinds.keys()]));
    },
  };
}

async function withSession<Answer>(
  me: Identity | undefined,
  ask: (session: Session) => Promise<Answer>,
): Promise<Answer | undefined> {
  return me && ask(me.session);
}

interface Stoppable extends Pick<WorkerOptions, 'log' | 'patienceMs'> {
  pump: Pump;
  crew: Crew;
  presence: Presence;
}

async function stopWorker(
  { pump, crew, presence, log, patienceMs = releasePatienceMs }: Stoppable,
  graceMs: number,
): Promise<void> {
  await within(graceMs, Promise.all([pump.stop(), crew.settled()]));
  await within(patienceMs, crew.release()).catch((error) => {
    log.warn('Could not release running jobs; other workers pick them up once this process exits.', {
      reason: String(error),
    });
  });
  crew.close();
  await presence.close();
}

function collectKinds(kinds: readonly JobKind[], schedules: readonly Schedule[]): Map<string, JobKind> {
  const byName = new Map<string, JobKind>();
  for (const kind of new Set([...kinds, ...schedules.map((schedule): JobKind => schedule.job)])) {
    if (byName.has(kind.name)) throw new Error(`Two kinds of job have the name "${kind.name}": rename one.`);
    byName.set(kind.name, kind);
  }
  return byName;
}

async function hasWork(db: Database, names: readonly string[]): Promise<boolean> {
  await delay(10);
  const { rows } = await raw`
    select from jobs where name = any(${names}) and (state in ('ready', 'running') or state = 'delayed' and run_at <= now())
    limit 1`.execute(db.system);
  return rows.length > 0;
}

/** Waits for `work`, but not longer than `ms`. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const enough = new AbortController();
  try {
    await Promise.race([work, delay(ms, undefined, { signal: enough.signal })]);
  } finally {
    enough.abort();
  }
}

interface FillOptions {
  kinds: readonly JobKind[];
  concurrency: number;
  leaseSeconds: number;
  crew: Crew;
  identity(): Identity | undefined;
}

const collectMs = 10;

/**
 * Prepares filling free slots with ready jobs. The returned function returns when to call it again, if it left slots
 * free on purpose.
 */
function startFilling(options: FillOptions): () => Promise<number | undefined> {
  const { concurrency, crew, identity } = options;
  const claim = startClaiming(options.kinds, options.leaseSeconds);
  let isCrowded = false;
  let claimedAt = 0;

  // While more jobs wait than can run, a few slots are collected before they are filled in one statement.
  function pauseMs(room: number): number {
    return isCrowded && room < concurrency / 2 ? claimedAt + collectMs - performance.now() : 0;
  }

  return async () => {
    for (let room = crew.room(); room > 0; room = crew.room()) {
      const me = identity();
      if (me === undefined) return undefined;
      const pause = pauseMs(room);
      if (pause > 0) return pause;
      const { jobs, blocked, more } = await claim(me, room);
      crew.take(jobs);
      isCrowded = more;
      claimedAt = performance.now();
      const moved = blocked.length > 0 ? await setAside(me.session, blocked) : 0;
      if (!isCrowded && moved === 0) return undefined;
    }
    return undefined;
  };
}

interface PumpSteps {
  /** Frees jobs of dead workers and enqueues due schedules. Returns when to run again, if known. */
  sweep(): Promise<number | undefined>;
  /** Makes due jobs ready. Returns in how many milliseconds the next one is due, if any. */
  ready(): Promise<number | undefined>;
  /** Claims ready jobs while there is room. Returns when to run again, if that should not wait for another request. */
  fill(): Promise<number | undefined>;
  log: Log;
}

/**
 * Runs the steps on request, never two rounds at once; requests that arrive meanwhile are combined into one more round.
 */
interface Pump {
  fill(): void;
  ready(): void;
  sweep(): void;
  /** Resolves when the last round has ended. */
  stop(): Promise<void>;
}

// Each round runs its own step and those below it.
const levels = { nothing: 0, fill: 1, ready: 2, sweep: 3 };
const sweepEveryMs = 1_000;

function startPump(steps: PumpSteps): Pump {
  let requested = levels.nothing;
  let round: Promise<void> | undefined;
  let isStopped = false;
  const plans = new Map<number, { timer: NodeJS.Timeout; dueAt: number }>();
  const interval = setInterval(() => ask(levels.sweep), sweepEveryMs);

  function ask(level: number): void {
    if (isStopped) return;
    requested = Math.max(requested, level);
    round ??= work();
  }

  async function work(): Promise<void> {
    // Jobs that end in the same tick of the event loop cause one claim, not one each.
    await nextTurn();
    while (requested !== levels.nothing && !isStopped) {
      const level = requested;
      requested = levels.nothing;
      try {
        if (level >= levels.sweep) askLater(levels.sweep, await steps.sweep());
        if (level >= levels.ready) askLater(levels.ready, await steps.ready());
        askLater(levels.fill, await steps.fill());
      } catch (error) {
        // The next round starts within a second and does everything that is left.
        if (!isStopped) steps.log.warn('The worker could not poll for jobs; retrying.', { reason: String(error) });
        requested = levels.nothing;
      }
    }
    round = undefined;
  }

  // A later request never postpones an earlier one.
  function askLater(level: number, afterMs: number | undefined): void {
    if (afterMs === undefined || afterMs > sweepEveryMs || isStopped) return;
    const dueAt = performance.now() + afterMs;
    const planned = plans.get(level);
    if (planned && planned.dueAt <= dueAt) return;
    clearTimeout(planned?.timer);
    const timer = setTimeout(() => {
      plans.delete(level);
      ask(level);
    }, afterMs);
    plans.set(level, { timer, dueAt });
  }

  return {
    fill: () => ask(levels.fill),
    ready: () => ask(levels.ready),
    sweep: () => ask(levels.sweep),
    stop: async () => {
      isStopped = true;
      clearInterval(interval);
      for (const { timer } of plans.values()) clearTimeout(timer);
      await round;
    },
  };
}

interface ScheduleRow {
  name: string;
  cron: string;
  nextRunAt: Date;
  now: Date;
}

/**
 * Prepares the schedules of one process. The returned function enqueues what is due and returns in how many
 * milliseconds the next schedule is. The database's clock decides, and the process that advances the due time enqueues
 * the run in the same transaction: one run per due time, for any number of processes and clocks. After an outage of all
 * processes, a schedule runs once, not once for each missed time.
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

// A changed cron expression takes effect from now on; an unchanged one keeps its due time, which may have passed
// meanwhile.
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
      // A manually written value can have microseconds, which a Date cannot represent.
      .where(raw<Date>`date_trunc('milliseconds', next_run_at)`, '=', row.nextRunAt)
      .executeTakeFirst();
    // The unique key prevents runs from piling up when one takes longer than the interval.
    if (numUpdatedRows === 1n) await enqueue(tx, schedule.job, {}, { uniqueKey: `schedule:${row.name}` });
  });
}

/** Returns the first due time after `from`. Throws if the expression is invalid or never due. */
export function nextRun(cron: string, from: Date): Date {
  const next = new Cron(cron, { timezone: 'UTC', paused: true }).nextRun(from);
  if (next === null) throw new Error(`The schedule "${cron}" is never due again.`);
  return next;
}
