import { availableParallelism } from 'node:os';
import { createThreadPool } from '../../../machinery/worker-threads/index.ts';
import { type BatchAnswer, failAll, type QueryBatch } from './job.ts';
import { QueryFailed } from './query-failed.ts';
import { runAll } from './run-all.ts';
import { openThread, type QueryThread, reasons, type ThreadEnd } from './thread.ts';

/** Threads that queries run in. */
export interface QueryPool {
  /** Answers every job, if only by saying that it failed. */
  run(batch: QueryBatch): Promise<BatchAnswer>;
  close(): Promise<void>;
}

interface PoolOptions {
  size?: number;
  /** How many batches may wait, of all callers and of one. */
  maxWaiting?: number;
  maxWaitingOfCaller?: number;
  open?: () => QueryThread;
}

/** Opens threads when they are needed, up to `size`. One that ends is replaced. */
export function createQueryPool({
  size = poolSize(),
  maxWaiting = 5_000,
  maxWaitingOfCaller = 1_000,
  open = () => openThread(),
}: PoolOptions = {}): QueryPool {
  const pool = createThreadPool<QueryBatch, BatchAnswer | ThreadEnd>({
    size,
    maxWaiting,
    maxWaitingOfCaller,
    open,
    fail: (reason) => ({ reason: reasons[reason](), job: undefined }),
  });
  return {
    run: async (batch) => {
      if (pool.hasRoom(batch.caller)) return runAll(batch, (part) => pool.run(part.caller, part));
      return failAll(batch, new QueryFailed('Too many queries are waiting. Try again later.', 'fault'));
    },
    close: pool.close,
  };
}

// One core is left to the thread that answers requests.
function poolSize(): number {
  return Math.min(4, Math.max(1, availableParallelism() - 1));
}

/** The pool of this process. It has no threads before the first query. */
export const queryPool = createQueryPool();
