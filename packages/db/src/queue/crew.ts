import { type JobKind, type Log, observed, type Random } from '@latchkey/kernel';
import type pg from 'pg';
import { openSpan, runFrom } from '../origin.ts';
import type { ClaimedJob } from './claim.ts';
import { type Failure, type Lease, releaseJobs } from './finish.ts';
import { holdJobs } from './hold.ts';
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
  /** A job was given up. */
  gaveUp?(): void;
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
  /** Abandons every running job, makes it ready for others, and waits until the ends of all others are written. */
  release(): Promise<void>;
  /** Takes and writes nothing more. */
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
    observed.job.tell({
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
      // A claim that was under way when the worker closed: others free these jobs once its connection has ended.
      if (isClosed) return;
      for (const job of claimed) {
        const kind = options.kinds.get(job.name);
        if (kind) void runFrom({ requestId: job.requestId ?? undefined }, () => run(kind, job));
      }
    },
    // Jobs whose end is being written still count a little, so that they cannot pile up while the database is slow.
    room: () => Math.min(options.concurrency - jobs.running().length, 2 * options.concurrency - jobs.all().length),
    leases: jobs.all,
    keepOnly: (asked, kept) => {
      const lost = asked.filter(({ id }) => !kept.has(id)).map(jobs.find);
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
  if (delaySeconds === undefined) log.error('A job was given up.', fields);
  else log.warn('A job failed and will be tried again.', { ...fields, delaySeconds });
  return { id: job.id, token: job.token, delaySeconds, reason: outcome.reason };
}

function jitter(random: Random): number {
  const [a = 0, b = 0] = random.bytes(2);
  return 0.9 + (0.2 * (a * 256 + b)) / 65_535;
}
