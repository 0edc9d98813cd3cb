import type { RootLog } from '../log.ts';

export type Stop = () => Promise<unknown>;

/** What a start is ended with when the wish to stop comes before it is through. */
export class StartInterrupted extends Error {}

interface Undoable {
  name: string;
  stop: Stop;
  pid: (() => number | undefined) | undefined;
}

/** Things to undo, in the opposite order of their making. */
export class Lifetime {
  readonly #stops: Undoable[] = [];
  readonly #log: RootLog;
  #ending: Promise<void> | undefined;
  readonly #ended = new AbortController();

  constructor(log: RootLog) {
    this.#log = log;
  }

  /** Aborts when the end has come, for what waits in a start. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /**
   * Remembers how to undo something. If the end has come already, undoes it at once and interrupts the start. `pid` is for
   * a process of its own, which must not outlive this one.
   */
  add(name: string, stop: Stop, pid?: () => number | undefined): void {
    if (this.#ending === undefined) {
      this.#stops.unshift({ name, stop, pid });
      return;
    }
    this.#ending = this.#ending.then(() => this.#undo(name, stop));
    throw new StartInterrupted();
  }

  /** Undoes everything; one part that fails to stop does not keep the others from it. */
  end(): Promise<void> {
    this.#ended.abort();
    this.#ending ??= this.#undoAll();
    return this.#ending;
  }

  /** The processes that are still to be stopped. */
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
