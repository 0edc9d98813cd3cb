/**
 * The limit over all routes. A place is free again a second after the answer came, not after the call was sent: however
 * long calls travel, the platform then never sees more than the limit within any one second.
 */
export class GlobalLimit {
  blockedUntilMs = 0;
  #inFlight = 0;
  // Moments at which places come free, oldest first.
  readonly #freeAtMs: number[] = [];
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

  /** Calls that are under way, or were answered less than a second ago. */
  busy(nowMs: number): number {
    while ((this.#freeAtMs[0] ?? Number.POSITIVE_INFINITY) <= nowMs) this.#freeAtMs.shift();
    return this.#inFlight + this.#freeAtMs.length;
  }

  /** How many calls may be under way or answered within a second. */
  places(_nowMs: number): number {
    return this.#perSecond;
  }

  opensAtMs(nowMs: number): number | undefined {
    return this.blockedUntilMs > nowMs ? this.blockedUntilMs : this.#freeAtMs[0];
  }

  take(): void {
    this.#inFlight += 1;
  }

  giveBack(nowMs: number): void {
    this.#inFlight -= 1;
    this.#freeAtMs.push(nowMs + 1000 + this.#marginMs);
  }
}
