import type { JobKind, Log, Random } from '@latchkey/kernel';
import type pg from 'pg';
import type { ClaimedJob } from './claim.ts';
import { type Lease, LeaseLost, releaseJobs } from './finish.ts';
import { type Outcome, type RunOptions, runJob } from './run-job.ts';
import { writeOutcomes } from './write-outcomes.ts';

export interface CrewOptions extends RunOptions {
  pool: pg.Pool;
  kinds: ReadonlyMap<string, JobKind>;
  concurrency: number;
  random: Random;
  log: Log;
  /** A slot is free, or jobs are ready that were not before. */
  roomMade(): void;
  /** A job was put off. */
  delayed(): void;
}

/** The jobs that one worker holds: it runs them and sees to it that their ends are written. */
export interface Crew {
  take(jobs: readonly ClaimedJob[]): void;
  room(): number;
  leases(): Lease[];
  /** Abandons those of `asked` that are not in `kept`: somebody else has them. */
  keepOnly(asked: readonly Lease[], kept: ReadonlySet<number>): void;
  /** Abandons every running job, because this worker is thought dead. */
  abandonAll(): void;
  /** Resolves when nothing is held. */
  settled(): Promise<void>;
  /** Abandons every running job and makes it ready for others. */
  release(): Promise<void>;
}

interface Held extends Lease {
  controller: AbortController;
  isRunning: boolean;
}

export function startCrew(options: CrewOptions): Crew {
  const held = new Map<number, Held>();
  let waiters: (() => void)[] = [];

  function drop(lease: Lease): void {
    if (held.get(lease.id)?.token === lease.token) held.delete(lease.id);
    if (held.size === 0) {
      for (const resolve of waiters) resolve();
      waiters = [];
    }
    options.roomMade();
  }

  const outcomes = writeOutcomes({ ...options, written: drop });

  async function run(kind: JobKind, job: ClaimedJob): Promise<void> {
    const entry: Held = { id: job.id, token: job.token, controller: new AbortController(), isRunning: true };
    held.set(job.id, entry);
    const outcome = await runJob(kind, job, entry.controller, options);
    entry.isRunning = false;
    if (held.get(job.id) !== entry) return;
    settle(kind, job, outcome);
    options.roomMade();
  }

  function settle(kind: JobKind, job: ClaimedJob, outcome: Outcome): void {
    if (outcome.kind === 'abandoned' || outcome.kind === 'finished') drop(job);
    else if (outcome.kind === 'done') outcomes.done(job);
    else fail(kind, job, outcome);
  }

  function fail(kind: JobKind, job: ClaimedJob, outcome: Extract<Outcome, { reason: string }>): void {
    const failures = job.failures + 1;
    const pauseSeconds = outcome.kind === 'failed' ? kind.retry.delaySeconds(failures) : undefined;
    const delaySeconds = pauseSeconds === undefined ? undefined : pauseSeconds * jitter(options.random);
    const fields = { job: job.id, kind: job.name, failures, reason: outcome.reason };
    if (delaySeconds === undefined) options.log.error('A job was given up.', fields);
    else options.log.warn('A job failed and will be tried again.', { ...fields, delaySeconds });
    outcomes.failed({ id: job.id, token: job.token, delaySeconds, reason: outcome.reason });
  }

  function abandon(entry: Held): void {
    held.delete(entry.id);
    entry.controller.abort(new LeaseLost(entry.id));
    drop(entry);
  }

  function running(): Held[] {
    return [...held.values()].filter((entry) => entry.isRunning);
  }

  return {
    take: (jobs) => {
      for (const job of jobs) {
        const kind = options.kinds.get(job.name);
        if (kind) void run(kind, job);
      }
    },
    // Jobs whose end is being written still count a little, so that they cannot pile up while the database is slow.
    room: () => Math.min(options.concurrency - running().length, 2 * options.concurrency - held.size),
    leases: () => [...held.values()],
    keepOnly: (asked, kept) => {
      for (const { id, token } of asked) {
        const entry = held.get(id);
        if (entry?.token === token && entry.isRunning && !kept.has(id)) abandon(entry);
      }
    },
    abandonAll: () => {
      for (const entry of running()) abandon(entry);
    },
    settled: () => (held.size === 0 ? Promise.resolve() : new Promise((resolve) => waiters.push(resolve))),
    release: async () => {
      const entries = running();
      for (const entry of entries) abandon(entry);
      outcomes.close();
      if (entries.length > 0) await releaseJobs(options.pool, entries);
    },
  };
}

function jitter(random: Random): number {
  const [a = 0, b = 0] = random.bytes(2);
  return 0.9 + (0.2 * (a * 256 + b)) / 65_535;
}
