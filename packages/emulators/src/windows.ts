import type { Clock } from './clock.ts';

/** A number of requests in a time window. */
export interface Rate {
  limit: number;
  windowSeconds: number;
}

interface Window {
  used: number;
  endsAtMs: number;
}

export interface Taken {
  isAllowed: boolean;
  remaining: number;
  endsAtMs: number;
}

const sweepAbove = 10_000;

/** Counts requests by key, each in a window that starts with its first request. */
export class Windows {
  readonly #windows = new Map<string, Window>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(key: string, { limit, windowSeconds }: Rate): Taken {
    const window = this.#current(key, windowSeconds);
    const isAllowed = window.used < limit;
    if (isAllowed) window.used += 1;
    return { isAllowed, remaining: Math.max(0, limit - window.used), endsAtMs: window.endsAtMs };
  }

  #current(key: string, windowSeconds: number): Window {
    const nowMs = this.#clock();
    const known = this.#windows.get(key);
    if (known && known.endsAtMs > nowMs) return known;
    if (this.#windows.size > sweepAbove) this.#sweep(nowMs);
    const opened = { used: 0, endsAtMs: nowMs + windowSeconds * 1000 };
    this.#windows.set(key, opened);
    return opened;
  }

  #sweep(nowMs: number): void {
    for (const [key, window] of this.#windows) if (window.endsAtMs <= nowMs) this.#windows.delete(key);
  }
}
