import { availableParallelism } from 'node:os';
import {
  createThreadPool,
  openWorkerThread,
  ThreadEnded,
  type WorkerThread,
} from '../../../services/worker-threads/index.ts';
import { hasQueries, meetsTraitFilter, type TraitFilter } from '../traits.ts';
import { type BatchAnswer, failAll, type QueryAnswer, type QueryBatch, type QueryJob, toAnswer } from './job.ts';
import { budgetMs } from './limits.ts';
import { createPulse } from './pulse.ts';
import { QueryFailed } from './query-failed.ts';

/** A thread that runs queries, one batch at a time. */
export type QueryThread = WorkerThread<QueryBatch, BatchAnswer | ThreadEnd>;

/** Why a thread ended before it answered, and the job it was running, if any. */
export interface ThreadEnd {
  reason: QueryFailed;
  job: number | undefined;
}

/** How long a thread may compute without a step: ten times the limit of a whole query. */
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

const reasons: Readonly<Record<ThreadEnded['reason'], () => QueryFailed>> = {
  budget: () => new QueryFailed('The query does not terminate.', 'limit'),
  memory: () => new QueryFailed('The query takes too much memory.', 'limit'),
  failure: () => new QueryFailed('The query could not be run.', 'fault'),
  closed: () => new QueryFailed('The query runner has stopped.', 'fault'),
};

/** The time charged to a request for a query that had to be stopped together with its thread. */
export const stoppedMs = 150;
const maxFalseStarts = 2;

const lost = toAnswer(new QueryFailed('The query could not be run.', 'fault'));

type Place = (batch: QueryBatch) => Promise<BatchAnswer | ThreadEnd>;

/**
 * Runs a batch until every job has an answer. A job that is stopped at a limit fails, and the others run again without
 * it. A thread that ends for another reason, or before its first job, gets a second try.
 */
async function runAll({ caller, now, leftMs, jobs }: QueryBatch, place: Place): Promise<BatchAnswer> {
  const answers = new Map<number, QueryAnswer>();
  const suspects = new Set<number>();
  let tookMs = 0;
  let falseStarts = 0;
  while (answers.size < jobs.length) {
    const open = [...jobs.entries()].filter(([index]) => !answers.has(index));
    const batch = { caller, now, leftMs: leftMs - tookMs, jobs: open.map(([, job]) => job) };
    const outcome = await place(batch);
    if ('answers' in outcome) {
      tookMs += outcome.tookMs;
      for (const [at, [index]] of open.entries()) answers.set(index, outcome.answers[at] ?? lost);
      continue;
    }
    const { reason, job = -1 } = outcome;
    const [culprit] = open[job] ?? [];
    if (culprit !== undefined && (reason.kind === 'limit' || suspects.has(culprit))) {
      answers.set(culprit, toAnswer(reason));
      tookMs += stoppedMs;
    } else if (culprit !== undefined) {
      suspects.add(culprit);
    } else {
      falseStarts += 1;
      if (falseStarts === maxFalseStarts) for (const [index] of open) answers.set(index, toAnswer(reason));
    }
  }
  return { answers: [...jobs.keys()].map((index) => answers.get(index) ?? lost), tookMs };
}

/** The queries of one request, or of one member in a resync. They share one CPU time budget. */
export interface Queries {
  /** Runs a job in another thread. Throws `QueryFailed`. */
  ask(job: QueryJob): Promise<boolean>;
}

interface PendingJob {
  job: QueryJob;
  resolve(isYes: boolean): void;
  reject(error: QueryFailed): void;
}

const maxBatch = 64;

/** `caller` is the caller, or the community that owns the rules: callers take turns. */
export function startQueries(now: Date, caller = '', pool: Pick<QueryPool, 'run'> = queryPool): Queries {
  const waiting: PendingJob[] = [];
  let leftMs = budgetMs;
  let isSending = false;

  const answerAll = async (jobs: readonly QueryJob[]): Promise<readonly QueryAnswer[]> => {
    const tooLong = () => new QueryFailed('The queries of this request take too long.', 'limit');
    const { answers, tookMs } =
      leftMs > 0 ? await pool.run({ caller, now, leftMs, jobs }) : failAll({ jobs }, tooLong());
    leftMs -= tookMs;
    return answers;
  };
  const send = async (): Promise<void> => {
    for (let batch = waiting.splice(0, maxBatch); batch.length > 0; batch = waiting.splice(0, maxBatch)) {
      const answers = await answerAll(batch.map(({ job }) => job)).catch((): QueryAnswer[] => []);
      for (const [index, pending] of batch.entries()) settle(pending, answers[index]);
    }
    isSending = false;
  };
  return {
    ask: (job) =>
      new Promise((resolve, reject) => {
        waiting.push({ job, resolve, reject });
        if (isSending) return;
        isSending = true;
        // Deferred until all rules of the request have added their jobs, so that these are sent together.
        queueMicrotask(() => process.nextTick(send));
      }),
  };
}

/** Whether tokens meet a filter. A filter with queries is evaluated in another thread. */
export function askTraits(
  queries: Queries,
  filter: TraitFilter,
  tokens: Extract<QueryJob, { kind: 'traits' }>['tokens'],
): Promise<boolean> {
  if (hasQueries(filter)) return queries.ask({ kind: 'traits', filter, tokens });
  return meetsTraitFilter(filter, tokens, () => Promise.reject(new Error('This filter has no queries.')));
}

function settle({ resolve, reject }: PendingJob, answer: QueryAnswer | undefined): void {
  if (answer === undefined) reject(new QueryFailed('The query could not be run.', 'fault'));
  else if ('isYes' in answer) resolve(answer.isYes);
  else reject(new QueryFailed(answer.failure.message, answer.failure.kind));
}

/** The threads that run queries. */
interface QueryPool {
  /** Returns an answer for every job, even if it is only a failure. */
  run(batch: QueryBatch): Promise<BatchAnswer>;
  close(): Promise<void>;
}

interface PoolOptions {
  size?: number;
  /** How many batches may wait: in total, and per caller. */
  maxWaiting?: number;
  maxWaitingOfCaller?: number;
  open?: () => QueryThread;
}

/** Creates a pool that starts threads on demand, up to `size`, and replaces threads that end. */
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

// Leaves one core to the thread that serves requests.
function poolSize(): number {
  return Math.min(4, Math.max(1, availableParallelism() - 1));
}

/** The pool of this process. It starts no threads before the first query. */
const queryPool = createQueryPool();
