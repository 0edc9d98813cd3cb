import type { Time } from '../governor/index.ts';

interface Sleeper {
  atMs: number;
  wake(): void;
}

/** A clock that stands still while anything is running, and jumps to the next timer otherwise. */
export class VirtualTime implements Time {
  #nowMs: number;
  readonly #sleepers = new Set<Sleeper>();

  constructor(startMs = 1_768_478_400_000) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  sleepUntil(atMs: number, signal?: AbortSignal): Promise<void> {
    if (atMs <= this.#nowMs || signal?.aborted) return Promise.resolve();
    return new Promise((wake) => {
      const sleeper = { atMs, wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', () => void this.#sleepers.delete(sleeper), { once: true });
    });
  }

  /** Runs until `work` is done. `isBusy` reports I/O in progress, during which no time passes. */
  async play<Result>(work: Promise<Result>, isBusy: () => boolean = () => false): Promise<Result> {
    let isDone = false;
    const watched = work.finally(() => {
      isDone = true;
    });
    watched.catch(() => undefined);
    while (!isDone) {
      await new Promise((resolve) => setImmediate(resolve));
      if (!isDone && !isBusy()) this.#jump();
    }
    return watched;
  }

  #jump(): void {
    const atMs = Math.min(...[...this.#sleepers].map((sleeper) => sleeper.atMs));
    if (!Number.isFinite(atMs)) return;
    this.#nowMs = atMs;
    for (const sleeper of [...this.#sleepers].filter((one) => one.atMs <= atMs)) {
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
  }
}
