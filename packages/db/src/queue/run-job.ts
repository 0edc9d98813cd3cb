import type { JobKind, JobRun } from '@latchkey/kernel';
import type { Sql } from '../database.ts';
import type { ClaimedJob } from './claim.ts';
import { finishIn, LeaseLost } from './finish.ts';

/** A run that the queue started: it can be finished together with its effect. */
export interface LeasedRun extends JobRun {
  /**
   * Finishes the job inside `tx`, the transaction of its effect: both are committed or neither, so the effect happens
   * exactly once. Throws LeaseLost, which must end the transaction, if another worker has the job by now.
   */
  finishIn(tx: Sql): Promise<void>;
}

/** Returns the leased form of a handler's run. Throws if the queue did not start this run. */
export function leased(job: JobRun): LeasedRun {
  if (!isLeased(job)) throw new Error(`Job ${job.id} was not started by the queue, so it has no lease to finish.`);
  return job;
}

function isLeased(job: JobRun): job is LeasedRun {
  return 'finishIn' in job;
}

/** Validates a payload for its kind. Returns what is wrong in a sentence, or undefined. */
export type ValidatePayload = (kind: JobKind, payload: unknown) => string | undefined;

export interface RunOptions {
  validate: ValidatePayload;
  makeContext(kind: JobKind): unknown;
}

export type Outcome =
  | { kind: 'done' }
  /** Finished inside the handler's own transaction. */
  | { kind: 'finished' }
  | { kind: 'failed'; reason: string }
  /** Not worth a retry. */
  | { kind: 'refused'; reason: string }
  /** The lease is lost or the worker stops: the job belongs to another worker now. */
  | { kind: 'abandoned' };

/**
 * Runs one attempt of a job. Never throws; when `controller` aborts it returns at once, whatever the handler still
 * does.
 */
export async function runJob(
  kind: JobKind,
  job: ClaimedJob,
  controller: AbortController,
  options: RunOptions,
): Promise<Outcome> {
  const { signal } = controller;
  let isFinished = false;
  const run: LeasedRun = {
    id: String(job.id),
    attempt: job.failures + 1,
    signal,
    finishIn: async (tx) => {
      await finishIn(tx, job);
      isFinished = true;
    },
  };
  let overdue: Error | undefined;
  const timer = setTimeout(() => {
    overdue = new Error(`The attempt took longer than ${kind.timeoutSeconds} seconds.`);
    controller.abort(overdue);
  }, kind.timeoutSeconds * 1000);
  try {
    const problem = options.validate(kind, job.payload);
    if (problem !== undefined) return { kind: 'refused', reason: `The payload is invalid for this job: ${problem}` };
    await Promise.race([handle(kind, job.payload, run, options), rejectOnAbort(signal)]);
    return { kind: isFinished ? 'finished' : 'done' };
  } catch (error) {
    if (error instanceof LeaseLost || (signal.aborted && signal.reason !== overdue)) return { kind: 'abandoned' };
    return { kind: 'failed', reason: reasonOf(overdue ?? error) };
  } finally {
    clearTimeout(timer);
  }
}

async function handle(kind: JobKind, payload: unknown, run: LeasedRun, options: RunOptions): Promise<void> {
  await kind.run(await options.makeContext(kind), payload, run);
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

// PostgreSQL text cannot contain a NUL.
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replaceAll('\0', '').slice(0, 500);
}
