import { priorities } from './lane.ts';

/**
 * The limit over all routes. A slot becomes free a second after the response, not after the request: however long calls travel, the
 * platform then never sees more than the limit within any second.
 */
export class GlobalLimit {
  blockedUntilMs = 0;
  readonly #inFlight: number[] = Object.values(priorities).map(() => 0);
  // When slots become free, oldest first.
  readonly #behind: { freeAtMs: number; priority: number }[] = [];
  readonly #marginMs: number;
  readonly #perSecond: number;

  constructor(perSecond: number, marginMs: number) {
    this.#perSecond = perSecond;
    this.#marginMs = marginMs;
  }

  spare(nowMs: number): number {
    if (this.blockedUntilMs > nowMs) return 0;
    return this.places(nowMs) - this.busy(nowMs);
  }

  /** Returns the number of calls that are in flight, or were answered less than a second ago. */
  busy(nowMs: number): number {
    this.#forget(nowMs);
    return this.#inFlight.reduce((sum, calls) => sum + calls, this.#behind.length);
  }

  /** Returns the same number for one priority. */
  busyWith(priority: number, nowMs: number): number {
    this.#forget(nowMs);
    return (this.#inFlight[priority] ?? 0) + this.#behind.filter((call) => call.priority === priority).length;
  }

  #forget(nowMs: number): void {
    while ((this.#behind[0]?.freeAtMs ?? Number.POSITIVE_INFINITY) <= nowMs) this.#behind.shift();
  }

  /** Returns how many calls may be in flight or answered within a second. */
  places(_nowMs: number): number {
    return this.#perSecond;
  }

  opensAtMs(nowMs: number): number | undefined {
    return this.blockedUntilMs > nowMs ? this.blockedUntilMs : this.#behind[0]?.freeAtMs;
  }

  take(priority: number): void {
    this.#inFlight[priority] = (this.#inFlight[priority] ?? 0) + 1;
  }

  giveBack(priority: number, nowMs: number): void {
    this.#inFlight[priority] = (this.#inFlight[priority] ?? 0) - 1;
    this.#behind.push({ freeAtMs: nowMs + 1000 + this.#marginMs, priority });
  }

  /** Releases slots whose calls were answered, for another process. Returns when they become free. */
  protected giveUp(places: number): number[] {
    return this.#behind.splice(0, Math.max(0, places)).map(({ freeAtMs }) => freeAtMs);
  }
}
