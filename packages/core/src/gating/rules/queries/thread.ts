import { Worker } from 'node:worker_threads';
import { type BatchAnswer, failAll, type QueryBatch } from './job.ts';
import { createPulse, type Pulse } from './pulse.ts';
import { QueryFailed } from './query-failed.ts';

/** A thread that runs queries, one batch at a time. */
export interface QueryThread {
  run(batch: QueryBatch): Promise<BatchAnswer | ThreadEnd>;
  isOpen(): boolean;
  end(): Promise<void>;
}

/** A thread that ended before it answered, why, and the job that it was at, if it had begun one. */
export interface ThreadEnd {
  reason: QueryFailed;
  job: number | undefined;
}

const youngMb = 16;
const lookEveryMs = 100;
/** How long a thread may compute without a step, ten times of what a whole query has. Waiting for a busy machine does not count. */
const maxStepMs = 500;
/** For a thread that does not even start, or of which nothing can be told. */
const maxBlindLooks = 600;

/** Opens a thread. An idle one does not keep the process from ending. */
export function openThread(memoryMb = 128): QueryThread {
  const pulse = createPulse();
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: pulse.memory,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: youngMb },
    execArgv: [],
    env: {},
  });
  worker.unref();
  let isOpen = true;
  let finish: ((outcome: BatchAnswer | ThreadEnd) => void) | undefined;
  const close = (reason: QueryFailed) => {
    isOpen = false;
    finish?.({ reason, job: pulse.job() });
    return worker.terminate();
  };
  worker.on('message', (answer: BatchAnswer) => finish?.(answer));
  worker.on('error', (error) => void close(endedBy(error)));
  worker.on('exit', () => void close(couldNotRun()));
  return {
    isOpen: () => isOpen,
    run: (batch) =>
      new Promise((resolve) => {
        const watch = watchPulse(worker, pulse, () =>
          close(new QueryFailed('The query does not come to an end.', 'limit')),
        );
        finish = (outcome) => {
          finish = undefined;
          clearInterval(watch);
          worker.unref();
          resolve(outcome);
        };
        worker.ref();
        try {
          worker.postMessage(batch);
        } catch {
          finish(failAll(batch, couldNotRun()));
        }
      }),
    end: async () => void (await close(new QueryFailed('Queries are no longer run here.', 'fault'))),
  };
}

function watchPulse(worker: Worker, pulse: Pulse, onStuck: () => void): NodeJS.Timeout {
  let [beats, blindLooks] = [pulse.beats(), 0];
  let sinceMs: number | undefined;
  const look = async () => {
    const computedMs = await computedMsOf(worker);
    if (pulse.beats() !== beats) {
      [beats, sinceMs, blindLooks] = [pulse.beats(), computedMs, 0];
      return;
    }
    sinceMs ??= computedMs;
    blindLooks += pulse.job() === undefined || computedMs === undefined ? 1 : 0;
    const isStuck = pulse.job() !== undefined && (computedMs ?? 0) - (sinceMs ?? 0) > maxStepMs;
    if (isStuck || blindLooks > maxBlindLooks) onStuck();
  };
  return setInterval(look, lookEveryMs).unref();
}

/** How long a thread has computed in all; it can be asked while it is stuck. */
async function computedMsOf(worker: Worker): Promise<number | undefined> {
  try {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1000;
  } catch {
    return undefined;
  }
}

function endedBy(error: unknown): QueryFailed {
  const isMemory = Object(error).code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isMemory ? new QueryFailed('The query takes too much memory.', 'limit') : couldNotRun();
}

function couldNotRun(): QueryFailed {
  return new QueryFailed('The query could not be run.', 'fault');
}
