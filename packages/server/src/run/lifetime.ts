import type { RootLog } from '../log.ts';

export type Stop = () => Promise<unknown>;

/** Thrown by a start when a stop is requested before it completes. */
export class StartInterrupted extends Error {}

interface Undoable {
  name: string;
  stop: Stop;
  pid: (() => number | undefined) | undefined;
}

/** Cleanup functions, run in reverse order. */
export class Lifetime {
  readonly #stops: Undoable[] = [];
  readonly #log: RootLog;
  #ending: Promise<void> | undefined;
  readonly #ended = new AbortController();

  constructor(log: RootLog) {
    this.#log = log;
  }

  /** Aborts when the lifetime ends, for code that waits during the start. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /**
   * Registers a cleanup function. If the lifetime has already ended, runs it at once and interrupts the start. `pid` is
   * for a child process that must not outlive this one.
   */
  add(name: string, stop: Stop, pid?: () => number | undefined): void {
    if (this.#ending === undefined) {
      this.#stops.unshift({ name, stop, pid });
      return;
    }
    this.#ending = this.#ending.then(() => this.#undo(name, stop));
    throw new StartInterrupted();
  }

  /** Runs every cleanup function; one that fails does not prevent the others. */
  end(): Promise<void> {
    this.#ended.abort();
    this.#ending ??= this.#undoAll();
    return this.#ending;
  }

  /** Returns the child processes that are still to be stopped. */
  pids(): number[] {
    return this.#stops.flatMap(({ pid }) => pid?.() ?? []);
  }

  async #undoAll(): Promise<void> {
    for (let next = this.#stops[0]; next !== undefined; next = this.#stops[0]) {
      await this.#undo(next.name, next.stop);
      this.#stops.shift();
    }
  }

  async #undo(name: string, stop: Stop): Promise<void> {
    await stop().catch((error: unknown) => this.#log.warn(`Stopping ${name} failed.`, { error }));
  }
}
