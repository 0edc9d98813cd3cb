import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { type JobKind, type Log, observed, type Random } from '@latchkey/kernel';
import pg from 'pg';
import { openSpan, runFrom } from '../origin.ts';
import { isUnavailable } from '../unavailable.ts';
import type { ClaimedJob } from './claim.ts';
import { type Failure, failJobs, finishJobs, type Lease, LeaseLost, releaseJobs } from './finish.ts';
import { type Outcome, type RunOptions, runJob } from './run-job.ts';

export interface CrewOptions extends RunOptions {
  pool: pg.Pool;
  kinds: ReadonlyMap<string, JobKind>;
  concurrency: number;
  random: Random;
  log: Log;
  /** A slot is free, or jobs are ready that were not before. */
  roomMade(): void;
  /** A job was delayed. */
  delayed(): void;
  /** A job failed permanently. */
  gaveUp?(): void;
}

/** Runs the jobs that one worker holds, and records how they end. */
export interface Crew {
  take(jobs: readonly ClaimedJob[]): void;
  room(): number;
  leases(): Lease[];
  /** Abandons those of `asked` that are not in `kept`: another worker has them. */
  keepOnly(requested: readonly Lease[], kept: ReadonlySet<number>): void;
  /** Abandons every running job, because this worker is considered dead. */
  abandonAll(): void;
  /** Resolves when nothing is held. */
  settled(): Promise<void>;
  /**
   * Abandons every running job, makes it ready for other workers, and waits until the results of all others are
   * written.
   */
  release(): Promise<void>;
  /** Claims and writes nothing more. */
  close(): void;
}

const ends = { done: 'done', finished: 'done', failed: 'failed', refused: 'given-up', abandoned: 'abandoned' } as const;

export function startCrew(options: CrewOptions): Crew {
  const jobs = holdJobs(options.roomMade);
  const outcomes = writeOutcomes({ ...options, written: jobs.drop });
  let isClosed = false;

  async function run(kind: JobKind, job: ClaimedJob): Promise<void> {
    const held = jobs.add(job);
    const startedMs = performance.now();
    const outcome = await runInTrace(kind, job, () => runJob(kind, job, held.controller, options));
    observed.job.record({
      name: kind.name,
      outcome: ends[outcome.kind],
      seconds: (performance.now() - startedMs) / 1000,
    });
    held.isRunning = false;
    if (jobs.find(held) === undefined) return;
    if (outcome.kind === 'abandoned' || outcome.kind === 'finished') jobs.drop(held);
    else if (outcome.kind === 'done') outcomes.done(held);
    else outcomes.failed(failureOf(kind, job, outcome, options));
    // What the worker does next belongs to no request.
    runFrom(undefined, options.roomMade);
  }

  return {
    take: (claimed) => {
      // A claim that was in flight when the worker closed: other workers free these jobs once its connection has ended.
      if (isClosed) return;
      for (const job of claimed) {
        const kind = options.kinds.get(job.name);
        if (kind) void runFrom({ requestId: job.requestId ?? undefined }, () => run(kind, job));
      }
    },
    // Jobs whose results are being written still count partly, so that they cannot pile up while the database is slow.
    room: () => Math.min(options.concurrency - jobs.running().length, 2 * options.concurrency - jobs.all().length),
    leases: jobs.all,
    keepOnly: (requested, kept) => {
      const lost = requested.filter(({ id }) => !kept.has(id)).map(jobs.find);
      for (const held of lost) if (held?.isRunning) jobs.abandon(held);
    },
    abandonAll: () => jobs.running().forEach(jobs.abandon),
    settled: jobs.empty,
    release: async () => {
      const running = jobs.running();
      running.forEach(jobs.abandon);
      if (running.length > 0) await releaseJobs(options.pool, running);
      await jobs.empty();
    },
    close: () => {
      isClosed = true;
      outcomes.close();
    },
  };
}

async function runInTrace(kind: JobKind, job: ClaimedJob, run: () => Promise<Outcome>): Promise<Outcome> {
  const facts = { 'latchkey.job': kind.name, 'latchkey.attempt': job.failures + 1 };
  const span = openSpan({ name: `job ${kind.name}`, kind: 'consumer', facts }, job.traceParent ?? undefined);
  if (span === undefined) return run();
  const outcome = await runFrom({ requestId: job.requestId ?? undefined, span }, run);
  span.set({ 'latchkey.outcome': ends[outcome.kind] });
  span.end('reason' in outcome ? new Error(outcome.reason) : undefined);
  return outcome;
}

function failureOf(
  kind: JobKind,
  job: ClaimedJob,
  outcome: Extract<Outcome, { reason: string }>,
  { log, random }: CrewOptions,
): Failure {
  const failures = job.failures + 1;
  const pauseSeconds = outcome.kind === 'failed' ? kind.retry.delaySeconds(failures) : undefined;
  const delaySeconds = pauseSeconds === undefined ? undefined : pauseSeconds * jitter(random);
  const fields = { job: job.id, kind: job.name, failures, reason: outcome.reason };
  if (delaySeconds === undefined) log.error('A job failed permanently.', fields);
  else log.warn('A job failed and will be retried.', { ...fields, delaySeconds });
  return { id: job.id, token: job.token, delaySeconds, reason: outcome.reason };
}

function jitter(random: Random): number {
  const [a = 0, b = 0] = random.bytes(2);
  return 0.9 + (0.2 * (a * 256 + b)) / 65_535;
}

/** A job of this worker: it runs, or its result is being written. */
interface Held extends Lease {
  controller: AbortController;
  isRunning: boolean;
}

/** The jobs that one worker currently holds. */
interface Holding {
  add(lease: Lease): Held;
  /** The job is no longer ours, for whatever reason. A later claim of the same job is left alone. */
  drop(lease: Lease): void;
  /** Drops a running job and aborts its handler. */
  abandon(held: Held): void;
  find(lease: Lease): Held | undefined;
  all(): Held[];
  running(): Held[];
  /** Resolves when there are none. */
  empty(): Promise<void>;
}

function holdJobs(dropped: () => void): Holding {
  const byId = new Map<number, Held>();
  let waiters: (() => void)[] = [];

  function find({ id, token }: Lease): Held | undefined {
    const held = byId.get(id);
    return held?.token === token ? held : undefined;
  }

  function drop(lease: Lease): void {
    if (find(lease)) byId.delete(lease.id);
    if (byId.size === 0) {
      for (const resolve of waiters) resolve();
      waiters = [];
    }
    dropped();
  }

  return {
    add: ({ id, token }) => {
      const held = { id, token, controller: new AbortController(), isRunning: true };
      // A worker that claims a job again lost it before, without noticing.
      byId.get(id)?.controller.abort(new LeaseLost(id));
      byId.set(id, held);
      return held;
    },
    drop,
    abandon: (held) => {
      drop(held);
      held.controller.abort(new LeaseLost(held.id));
    },
    find,
    all: () => [...byId.values()],
    running: () => [...byId.values()].filter((held) => held.isRunning),
    empty: () => (byId.size === 0 ? Promise.resolve() : new Promise((resolve) => waiters.push(resolve))),
  };
}

interface OutcomeWriter {
  done(lease: Lease): void;
  failed(failure: Failure): void;
  /** Stops retrying: jobs without a recorded result will be run again by another worker. */
  close(): void;
}

interface OutcomeOptions {
  pool: pg.Pool;
  log: Log;
  /** The result is in the database, or no longer matters because another worker has the job. */
  written(lease: Lease): void;
  /** At least one job will be retried later. */
  delayed(): void;
  /** At least one job was given up. */
  gaveUp?(): void;
}

const retryPauseMs = 250;
const heldPauseMs = 50;
const mostAtOnce = 1000;

/**
 * Writes how jobs ended, in batches. Waits out database problems: a job with external effects should not run twice
 * because of a lost connection.
 */
function writeOutcomes(options: OutcomeOptions): OutcomeWriter {
  const done: Lease[] = [];
  const failures: Failure[] = [];
  let isWriting = false;
  let isClosed = false;

  async function writeAll(): Promise<void> {
    if (isWriting) return;
    isWriting = true;
    // Jobs that end in the same tick of the event loop are written together.
    await nextTurn();
    while (done.length + failures.length > 0 && !isClosed) {
      const later = [
        ...(await attempt(options, done, writeDone)),
        ...(await attempt(options, failures, writeFailures)),
      ];
      if (later.length > 0) await delay(Math.max(...later));
    }
    isWriting = false;
  }

  return {
    done: (lease) => {
      done.push(lease);
      void writeAll();
    },
    failed: (failure) => {
      failures.push(failure);
      void writeAll();
    },
    close: () => {
      isClosed = true;
    },
  };
}

type Write<Item> = (options: OutcomeOptions, items: readonly Item[]) => Promise<Item[]>;

/** Writes the `queue`, requeues what has to be retried, and returns the delays before that. */
async function attempt<Item extends Lease>(
  options: OutcomeOptions,
  queue: Item[],
  write: Write<Item>,
): Promise<number[]> {
  const items = queue.splice(0, mostAtOnce);
  if (items.length === 0) return [];
  try {
    const held = await write(options, items);
    queue.push(...held);
    return held.length > 0 ? [heldPauseMs] : [];
  } catch (error) {
    if (isPassing(error)) {
      options.log.debug('Could not save job results; retrying.', {
        jobs: items.length,
        reason: String(error),
      });
      queue.push(...items);
      return [retryPauseMs];
    }
    return (await Promise.all(items.map((item) => attemptAlone(options, queue, item, write)))).flat();
  }
}

// One result that the database refuses must not prevent the others from being written.
async function attemptAlone<Item extends Lease>(
  options: OutcomeOptions,
  queue: Item[],
  item: Item,
  write: Write<Item>,
): Promise<number[]> {
  try {
    queue.push(...(await write(options, [item])));
    return [heldPauseMs];
  } catch (error) {
    if (isPassing(error)) {
      queue.push(item);
      return [retryPauseMs];
    }
    options.log.error('Could not save a job’s result; it will run again.', {
      job: item.id,
      reason: String(error),
    });
    options.written(item);
    return [];
  }
}

async function writeDone(options: OutcomeOptions, leases: readonly Lease[]): Promise<Lease[]> {
  const report = await finishJobs(options.pool, leases);
  const held = new Set(report.held);
  const lost = leases.length - report.finished.length - held.size;
  if (lost > 0) options.log.warn('Jobs ended after their lease was lost; they may run again.', { jobs: lost });
  for (const lease of leases) if (!held.has(lease.id)) options.written(lease);
  return leases.filter((lease) => held.has(lease.id));
}

async function writeFailures(options: OutcomeOptions, failures: readonly Failure[]): Promise<Failure[]> {
  await failJobs(options.pool, failures);
  for (const failure of failures) options.written(failure);
  options.delayed();
  if (failures.some(({ delaySeconds }) => delaySeconds === undefined)) options.gaveUp?.();
  return [];
}

const lockTroubles = new Set(['57014', '55P03']);

function isPassing(error: unknown): boolean {
  return isUnavailable(error) || (error instanceof pg.DatabaseError && lockTroubles.has(error.code ?? ''));
}
