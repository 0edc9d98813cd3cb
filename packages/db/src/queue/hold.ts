import { type Lease, LeaseLost } from './finish.ts';

/** A job that this worker has: it runs, or its end is being written. */
export interface Held extends Lease {
  controller: AbortController;
  isRunning: boolean;
}

/** The jobs that one worker has at the moment. */
export interface Holding {
  add(lease: Lease): Held;
  /** The job is not ours any more, for good or for bad. A later claim of the same job is left alone. */
  drop(lease: Lease): void;
  /** Drops a running job and tells its handler. */
  abandon(held: Held): void;
  find(lease: Lease): Held | undefined;
  all(): Held[];
  running(): Held[];
  /** Resolves when there are none. */
  empty(): Promise<void>;
}

export function holdJobs(dropped: () => void): Holding {
  const byId = new Map<number, Held>();
  let waiters: (() => void)[] = [];

  function find({ id, token }: Lease): Held | undefined {
    const held = byId.get(id);
    return held?.token === token ? held : undefined;
  }

  function drop(lease: Lease): void {
    if (find(lease)) byId.delete(lease.id);
    if (byId.size === 0) {
      for (const resolve of waiters) resolve();
      waiters = [];
    }
    dropped();
  }

  return {
    add: ({ id, token }) => {
      const held = { id, token, controller: new AbortController(), isRunning: true };
      // Whoever claims a job again lost it before, and has not been told.
      byId.get(id)?.controller.abort(new LeaseLost(id));
      byId.set(id, held);
      return held;
    },
    drop,
    abandon: (held) => {
      drop(held);
      held.controller.abort(new LeaseLost(held.id));
    },
    find,
    all: () => [...byId.values()],
    running: () => [...byId.values()].filter((held) => held.isRunning),
    empty: () => (byId.size === 0 ? Promise.resolve() : new Promise((resolve) => waiters.push(resolve))),
  };
}
