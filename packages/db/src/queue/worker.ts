import { setTimeout as delay } from 'node:timers/promises';
import type { JobKind, Log, Random, Schedule } from '@latchkey/kernel';
import { sql as raw } from 'kysely';
import type { Session } from '../bus/session.ts';
import type { Database } from '../database.ts';
import { type Crew, startCrew } from './crew.ts';
import { startFilling } from './fill.ts';
import { freeLostJobs, readyDueJobs } from './lease.ts';
import { type Identity, keepPresence, type Presence } from './presence.ts';
import { type Pump, startPump } from './pump.ts';
import type { RunOptions } from './run-job.ts';
import { startScheduling } from './schedules.ts';

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
  /** How long the database may be silent; a few seconds unless told otherwise. */
  patienceMs?: number;
  /** Called after jobs were given up. */
  gaveUp?(): void;
}

export interface Worker {
  /** Takes no more jobs, waits up to `graceMs` for the running ones, then aborts them and gives them back. */
  stop(graceMs: number): Promise<void>;
  /** Resolves when no job of its kinds is ready or running, here or elsewhere. For tests. */
  idle(): Promise<void>;
}

const releasePatienceMs = 2_000;

/** Runs jobs until told to stop, through restarts of the database. */
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
    heard: (state) => (state === 'delayed' ? pump.ready() : pump.fill()),
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
    log.warn('Running jobs were not given back; others take them once this process ends.', { reason: String(error) });
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
