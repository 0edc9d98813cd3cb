import type { Address } from 'viem';

/** Measures how long after it was due each role is correct. */
export class RoleWatch {
  readonly latenciesMs: number[] = [];
  /** Changes that were visible before they were due. */
  early = 0;
  /** Changes that the chain reverted before they were made. */
  overtaken = 0;
  readonly #due = new Map<Address, { isHolder: boolean; sinceMs: number }>();
  readonly #shows: (address: Address) => boolean;

  constructor(shows: (address: Address) => boolean) {
    this.#shows = shows;
  }

  /** Records that this is due from now on. */
  want(address: Address, isHolder: boolean): void {
    if (this.#due.delete(address)) this.overtaken += 1;
    else if (this.#shows(address) === isHolder) this.early += 1;
    if (this.#shows(address) !== isHolder) this.#due.set(address, { isHolder, sinceMs: performance.now() });
  }

  look(): void {
    for (const [address, { isHolder, sinceMs }] of this.#due) {
      if (this.#shows(address) !== isHolder) continue;
      this.latenciesMs.push(performance.now() - sinceMs);
      this.#due.delete(address);
    }
  }

  describe(): string {
    const at = (share: number) => this.#percentile(share).toFixed(0);
    return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(1)} ms over ${this.latenciesMs.length} changes`;
  }

  p95(): number {
    return this.#percentile(0.95);
  }

  #percentile(share: number): number {
    const sorted = this.latenciesMs.toSorted((a, b) => a - b);
    return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  }
}
