import { availableParallelism } from 'node:os';
import { type BatchAnswer, failAll, type QueryBatch } from './job.ts';
import { QueryFailed } from './query-failed.ts';
import { runAll } from './run-all.ts';
import { openThread, type QueryThread, type ThreadEnd } from './thread.ts';
import { createTurns } from './turns.ts';

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
  const threads = new Set<QueryThread>();
  const idle: QueryThread[] = [];
  const waiting = createTurns<{ batch: QueryBatch; resolve: (outcome: BatchAnswer | ThreadEnd) => void }>();
  let isClosed = false;

  const takeThread = (): QueryThread | undefined => {
    for (let thread = idle.pop(); thread !== undefined; thread = idle.pop()) {
      if (thread.isOpen()) return thread;
      threads.delete(thread);
    }
    if (threads.size >= size) return undefined;
    const thread = tryToOpen(open);
    threads.add(thread);
    return thread;
  };
  const serve = (): void => {
    while (waiting.size() > 0) {
      const thread = takeThread();
      const next = thread && waiting.next();
      if (next === undefined) return;
      void thread?.run(next.batch).then((outcome) => {
        if (thread.isOpen()) idle.push(thread);
        else threads.delete(thread);
        next.resolve(outcome);
        serve();
      });
    }
  };
  const place = (batch: QueryBatch): Promise<BatchAnswer | ThreadEnd> =>
    new Promise((resolve) => {
      if (isClosed) return resolve(closed);
      waiting.add(batch.caller, { batch, resolve });
      serve();
    });

  return {
    run: async (batch) => {
      const hasRoom = waiting.size() < maxWaiting && waiting.sizeOf(batch.caller) < maxWaitingOfCaller;
      if (hasRoom) return runAll(batch, place);
      return failAll(batch, new QueryFailed('Too many queries are waiting. Try again later.', 'fault'));
    },
    close: async () => {
      isClosed = true;
      for (let next = waiting.next(); next !== undefined; next = waiting.next()) next.resolve(closed);
      await Promise.all([...threads].map((thread) => thread.end()));
    },
  };
}

const closed: ThreadEnd = { reason: new QueryFailed('Queries are no longer run here.', 'fault'), job: undefined };

// A machine that has no thread left may have one again soon.
function tryToOpen(open: () => QueryThread): QueryThread {
  try {
    return open();
  } catch {
    const reason = new QueryFailed('The query could not be run.', 'fault');
    return { isOpen: () => false, run: async () => ({ reason, job: undefined }), end: async () => {} };
  }
}

// One core is left to the thread that answers requests.
function poolSize(): number {
  return Math.min(4, Math.max(1, availableParallelism() - 1));
}

/** The pool of this process. It has no threads before the first query. */
export const queryPool = createQueryPool();
