import { openWorkerThread, ThreadEnded, type WorkerThread } from '../../../machinery/worker-threads/index.ts';
import type { BatchAnswer, QueryBatch } from './job.ts';
import { createPulse } from './pulse.ts';
import { QueryFailed } from './query-failed.ts';

/** A thread that runs queries, one batch at a time. */
export type QueryThread = WorkerThread<QueryBatch, BatchAnswer | ThreadEnd>;

/** A thread that ended before it answered, why, and the job that it was at, if it had begun one. */
export interface ThreadEnd {
  reason: QueryFailed;
  job: number | undefined;
}

/** How long a thread may compute without a step, ten times of what a whole query has. */
const maxStepMs = 500;

export function openThread(memoryMb = 128): QueryThread {
  const pulse = createPulse();
  const thread = openWorkerThread<QueryBatch, BatchAnswer>({
    file: new URL('./worker.ts', import.meta.url),
    memoryMb,
    workerData: pulse.memory,
    budgetMs: () => maxStepMs,
    steps: { count: pulse.beats, hasStarted: () => pulse.job() !== undefined },
  });
  return {
    ...thread,
    run: async (batch) => {
      const outcome = await thread.run(batch);
      return outcome instanceof ThreadEnded ? { reason: reasons[outcome.reason](), job: pulse.job() } : outcome;
    },
  };
}

export const reasons: Readonly<Record<ThreadEnded['reason'], () => QueryFailed>> = {
  budget: () => new QueryFailed('The query does not come to an end.', 'limit'),
  memory: () => new QueryFailed('The query takes too much memory.', 'limit'),
  failure: () => new QueryFailed('The query could not be run.', 'fault'),
  closed: () => new QueryFailed('Queries are no longer run here.', 'fault'),
};
