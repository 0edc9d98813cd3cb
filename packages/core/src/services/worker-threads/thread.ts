import { Worker } from 'node:worker_threads';

/** A worker thread that handles one request at a time. */
export interface WorkerThread<Request, Outcome> {
  run(request: Request): Promise<Outcome>;
  isOpen(): boolean;
  end(): Promise<void>;
}

/** A thread that ended before it responded: it exceeded its budget or its memory, failed, or was closed. */
export class ThreadEnded {
  readonly reason: 'budget' | 'memory' | 'failure' | 'closed';

  constructor(reason: ThreadEnded['reason']) {
    this.reason = reason;
  }
}

interface ThreadOptions<Request> {
  /** The module that the thread runs. It posts one message for each one it receives. */
  file: URL;
  memoryMb: number;
  workerData?: unknown;
  /**
   * CPU time that a request may take, or each of its steps if the thread reports steps. Waiting for a busy machine does
   * not count.
   */
  budgetMs(request: Request): number;
  steps?: Steps;
}

/** What a thread reports through shared memory while it is busy. */
interface Steps {
  count(): number;
  hasStarted(): boolean;
}

const youngMb = 16;
const checkEveryMs = 100;
/** For a thread that does not start, or whose CPU time is unknown. */
const maxBlindChecks = 600;

/** Opens a worker thread. While it is idle it does not keep the process alive. */
export function openWorkerThread<Request, Response>({
  file,
  memoryMb,
  workerData,
  budgetMs,
  steps = { count: () => 0, hasStarted: () => true },
}: ThreadOptions<Request>): WorkerThread<Request, Response | ThreadEnded> {
  const worker = new Worker(file, {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: youngMb },
    execArgv: [],
    env: {},
  });
  worker.unref();
  let isOpen = true;
  let finish: ((outcome: Response | ThreadEnded) => void) | undefined;
  const close = (reason: ThreadEnded['reason']) => {
    isOpen = false;
    finish?.(new ThreadEnded(reason));
    return worker.terminate();
  };
  worker.on('message', (response: Response) => finish?.(response));
  worker.on('error', (error) => void close(isOutOfMemory(error) ? 'memory' : 'failure'));
  worker.on('exit', () => void close('failure'));
  return {
    isOpen: () => isOpen,
    run: (request) =>
      new Promise((resolve) => {
        const watch = watchBudget(worker, steps, budgetMs(request), () => void close('budget'));
        finish = (outcome) => {
          finish = undefined;
          clearInterval(watch);
          worker.unref();
          resolve(outcome);
        };
        worker.ref();
        try {
          worker.postMessage(request);
        } catch {
          // The request cannot be cloned, so the thread never received it.
          finish(new ThreadEnded('failure'));
        }
      }),
    end: async () => void (await close('closed')),
  };
}

function watchBudget(worker: Worker, steps: Steps, maxMs: number, onOverrun: () => void): NodeJS.Timeout {
  let [count, blindChecks] = [steps.count(), 0];
  let sinceMs: number | undefined;
  const check = async () => {
    const usedMs = await cpuMsOf(worker);
    if (steps.count() !== count) {
      [count, sinceMs, blindChecks] = [steps.count(), usedMs, 0];
      return;
    }
    sinceMs ??= usedMs;
    blindChecks += !steps.hasStarted() || usedMs === undefined ? 1 : 0;
    const hasOverrun = steps.hasStarted() && (usedMs ?? 0) - (sinceMs ?? 0) > maxMs;
    if (hasOverrun || blindChecks > maxBlindChecks) onOverrun();
  };
  return setInterval(check, checkEveryMs).unref();
}

/** Returns the CPU time of a thread so far, even while the thread is stuck. */
async function cpuMsOf(worker: Worker): Promise<number | undefined> {
  try {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1000;
  } catch {
    return undefined;
  }
}

function isOutOfMemory(error: unknown): boolean {
  return Object(error).code === 'ERR_WORKER_OUT_OF_MEMORY';
}
