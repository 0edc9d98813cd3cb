import type { RootLog } from '../log.ts';

export type Stop = () => Promise<unknown>;

/** What a start is ended with when the wish to stop comes before it is through. */
export class StartInterrupted extends Error {}

/** Things to undo, in the opposite order of their making. */
export class Lifetime {
  readonly #stops: { name: string; stop: Stop }[] = [];
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

  /** Remembers how to undo something. If the end has come already, undoes it at once and interrupts the start. */
  add(name: string, stop: Stop): void {
    if (this.#ending === undefined) {
      this.#stops.unshift({ name, stop });
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

  async #undoAll(): Promise<void> {
    for (const { name, stop } of this.#stops.splice(0)) await this.#undo(name, stop);
  }

  async #undo(name: string, stop: Stop): Promise<void> {
    await stop().catch((error: unknown) => this.#log.warn(`Stopping ${name} failed.`, { error }));
  }
}
