const windowMs = 10 * 60 * 1000;

/**
 * Discord bans an address after 10,000 answers of 401, 403 or 429 within ten minutes. This stops far earlier, since the
 * address may be shared with other programs.
 */
export class InvalidBudget {
  readonly #atMs: number[] = [];
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  note(nowMs: number): void {
    this.#atMs.push(nowMs);
  }

  used(nowMs: number): number {
    while ((this.#atMs[0] ?? Number.POSITIVE_INFINITY) <= nowMs - windowMs) this.#atMs.shift();
    return this.#atMs.length;
  }

  left(nowMs: number): number {
    return Math.max(0, this.#max - this.used(nowMs));
  }

  /** How long nothing may be sent; 0 while there is budget left. */
  pauseMs(nowMs: number): number {
    return this.used(nowMs) < this.#max ? 0 : (this.#atMs[0] ?? nowMs) + windowMs - nowMs;
  }
}
