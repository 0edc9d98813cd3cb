import type { RootLog } from '../log.ts';

export type Stop = () => Promise<void>;

/** Things to undo, in the opposite order of their making. */
export class Lifetime {
  readonly #stops: { name: string; stop: Stop }[] = [];
  readonly #log: RootLog;

  constructor(log: RootLog) {
    this.#log = log;
  }

  add(name: string, stop: Stop): void {
    this.#stops.unshift({ name, stop });
  }

  /** Undoes everything; one part that fails to stop does not keep the others from it. */
  async end(): Promise<void> {
    for (const { name, stop } of this.#stops.splice(0)) {
      await stop().catch((error: unknown) => this.#log.warn(`Stopping ${name} failed.`, { error }));
    }
  }

  /** Waits for Ctrl-C or a request to stop, then ends everything. A second signal ends the process at once. */
  async untilSignal(): Promise<void> {
    const signal = await new Promise<NodeJS.Signals>((resolve) => {
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => resolve(name));
    });
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => process.exit(1));
    this.#log.info('Stopping.', { signal });
    await this.end();
  }
}
