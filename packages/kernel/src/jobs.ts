import type { Schema } from './schema.ts';

/**
 * When to retry a failed attempt. `delaySeconds(n)` is the delay after the n-th failure; undefined gives the job up.
 */
export interface RetryPolicy {
  delaySeconds(failures: number): number | undefined;
}

/** Doubles the delay between attempts, up to a maximum, for a fixed number of attempts. */
export function exponentialRetry(tries: number, firstSeconds: number, maxSeconds: number): RetryPolicy {
  return {
    delaySeconds: (failures) =>
      failures >= tries ? undefined : Math.min(firstSeconds * 2 ** (failures - 1), maxSeconds),
  };
}

/**
 * Uses a fixed list of delays: the n-th failure waits for the n-th of them, and the job is given up when they run out.
 */
export function scheduledRetry(pausesSeconds: readonly number[]): RetryPolicy {
  return { delaySeconds: (failures) => pausesSeconds[failures - 1] };
}

/** What a running job knows about itself. */
export interface JobRun {
  id: string;
  /** 1 for the first attempt. */
  attempt: number;
  /** Aborted when the lease is lost, the attempt times out or the worker stops. */
  signal: AbortSignal;
}

export interface JobOptions<Payload> {
  payload: Schema<Payload>;
  retry?: RetryPolicy;
  /** An attempt that takes longer counts as failed. */
  timeoutSeconds?: number;
  /** At most this many jobs of one group run at a time, so that one tenant cannot fill every slot. */
  maxRunningPerGroup?: number;
}

/** A kind of background job, declared once in the `jobs.ts` of its feature. */
export interface JobKind<Payload = unknown, Ctx = unknown> extends Required<JobOptions<Payload>> {
  name: string;
  run(ctx: Ctx, payload: Payload, job: JobRun): Promise<void>;
}

export function job<Payload, Ctx>(
  name: string,
  options: JobOptions<Payload>,
  run: (ctx: Ctx, payload: Payload, job: JobRun) => Promise<void>,
): JobKind<Payload, Ctx> {
  return {
    name,
    payload: options.payload,
    retry: options.retry ?? exponentialRetry(8, 2, 600),
    timeoutSeconds: options.timeoutSeconds ?? 60,
    maxRunningPerGroup: options.maxRunningPerGroup ?? 1_000_000,
    run,
  };
}

/** Scheduled work: the job is enqueued once per due time, for any number of processes. */
export interface Schedule {
  name: string;
  /** A cron expression in UTC. */
  cron: string;
  job: JobKind<Record<string, never>, never>;
}
