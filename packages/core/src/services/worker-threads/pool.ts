import type { ThreadEnded, WorkerThread } from './thread.ts';

/** Threads that share one bounded queue. */
export interface ThreadPool<Request, Outcome> {
  /** Whether the queue accepts more, in total and from this caller. */
  hasRoom(caller: string): boolean;
  run(caller: string, request: Request): Promise<Outcome>;
  close(): Promise<void>;
}

interface PoolOptions<Request, Outcome> {
  size: number;
  /** How many requests may wait, of all callers and of one. */
  maxWaiting: number;
  maxWaitingOfCaller?: number;
  open(): WorkerThread<Request, Outcome>;
  /** The outcome of a request that no thread could run. */
  fail(reason: ThreadEnded['reason']): Outcome;
}

/** Starts threads on demand, up to `size`. One that ends is replaced. Callers take turns. */
export function createThreadPool<Request, Outcome>({
  size,
  maxWaiting,
  maxWaitingOfCaller = maxWaiting,
  open,
  fail,
}: PoolOptions<Request, Outcome>): ThreadPool<Request, Outcome> {
  const threads = new Set<WorkerThread<Request, Outcome>>();
  const idle: WorkerThread<Request, Outcome>[] = [];
  const waiting = createTurns<{ request: Request; resolve: (outcome: Outcome) => void }>();
  let isClosed = false;

  // If the machine has no thread left now, it may have one soon.
  const tryToOpen = (): WorkerThread<Request, Outcome> => {
    try {
      return open();
    } catch {
      return { isOpen: () => false, run: async () => fail('failure'), end: async () => {} };
    }
  };
  const takeThread = (): WorkerThread<Request, Outcome> | undefined => {
    for (let thread = idle.pop(); thread !== undefined; thread = idle.pop()) {
      if (thread.isOpen()) return thread;
      threads.delete(thread);
    }
    if (threads.size >= size) return undefined;
    const thread = tryToOpen();
    threads.add(thread);
    return thread;
  };
  const serve = (): void => {
    while (waiting.size() > 0) {
      const thread = takeThread();
      const next = thread && waiting.next();
      if (next === undefined) return;
      void thread?.run(next.request).then((outcome) => {
        if (thread.isOpen()) idle.push(thread);
        else threads.delete(thread);
        next.resolve(outcome);
        serve();
      });
    }
  };

  return {
    hasRoom: (caller) => waiting.size() < maxWaiting && waiting.sizeOf(caller) < maxWaitingOfCaller,
    run: (caller, request) =>
      new Promise((resolve) => {
        if (isClosed) return resolve(fail('closed'));
        waiting.add(caller, { request, resolve });
        serve();
      }),
    close: async () => {
      isClosed = true;
      for (let next = waiting.next(); next !== undefined; next = waiting.next()) next.resolve(fail('closed'));
      await Promise.all([...threads].map((thread) => thread.end()));
    },
  };
}

/** A fair queue: callers take turns, so that one with many tasks does not delay those with few. */
interface Turns<Item> {
  size(): number;
  sizeOf(caller: string): number;
  add(caller: string, item: Item): void;
  next(): Item | undefined;
}

function createTurns<Item>(): Turns<Item> {
  const byCaller = new Map<string, Item[]>();
  let size = 0;
  return {
    size: () => size,
    sizeOf: (caller) => byCaller.get(caller)?.length ?? 0,
    add: (caller, item) => {
      size += 1;
      const present = byCaller.get(caller);
      if (present === undefined) byCaller.set(caller, [item]);
      else present.push(item);
    },
    next: () => {
      const [caller, items] = byCaller.entries().next().value ?? [];
      if (caller === undefined || items === undefined) return undefined;
      const item = items.shift();
      size -= 1;
      // A map keeps insertion order: a caller that had its turn goes to the end.
      byCaller.delete(caller);
      if (items.length > 0) byCaller.set(caller, items);
      return item;
    },
  };
}
