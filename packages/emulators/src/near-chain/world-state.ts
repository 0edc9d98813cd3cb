interface Change {
  height: number;
  key: string;
  old: unknown;
}

/** What can be read of the state at one height. */
export interface ReadState {
  get(key: string): unknown;
}

const keptChanges = 300_000;

/**
 * The whole state of the chain, as keys and values that are replaced and never changed in place. The changes are kept, so that failures can
 * be rolled back and older heights can still be read.
 */
export class WorldState implements ReadState {
  readonly #values = new Map<string, unknown>();
  #changes: Change[] = [];
  #height = 0;
  #oldest = 0;

  /** The lowest height whose state is still available. */
  get oldestHeight(): number {
    return this.#oldest;
  }

  get(key: string): unknown {
    return this.#values.get(key);
  }

  set(key: string, value: unknown): void {
    this.#changes.push({ height: this.#height, key, old: this.#values.get(key) });
    this.#write(key, value);
  }

  /** Everything set from now on belongs to this height. */
  beginHeight(height: number): void {
    this.#height = height;
    if (this.#changes.length > keptChanges) this.forgetBelow(this.#changes[keptChanges / 2]?.height ?? height);
  }

  forgetBelow(height: number): void {
    this.#oldest = Math.max(this.#oldest, height);
    this.#changes = this.#changes.filter((change) => change.height > this.#oldest);
  }

  /** Creates a savepoint. */
  mark(): number {
    return this.#changes.length;
  }

  undoTo(mark: number): void {
    for (let change = this.#changes.length; change > mark; change -= 1) {
      const last = this.#changes.pop();
      if (last !== undefined) this.#write(last.key, last.old);
    }
  }

  /** Returns the state after a height; undefined if it was deleted. */
  at(height: number): ReadState | undefined {
    if (height < this.#oldest) return undefined;
    const then = new Map<string, unknown>();
    for (let index = this.#changes.length - 1; index >= 0; index -= 1) {
      const change = this.#changes[index];
      if (change === undefined || change.height <= height) break;
      then.set(change.key, change.old);
    }
    if (then.size === 0) return this;
    return { get: (key) => (then.has(key) ? then.get(key) : this.#values.get(key)) };
  }

  /** Returns every value whose key has this prefix. Scans all keys, so only for rare use. */
  under(prefix: string): [key: string, value: unknown][] {
    return [...this.#values].filter(([key]) => key.startsWith(prefix));
  }

  #write(key: string, value: unknown): void {
    if (value === undefined) this.#values.delete(key);
    else this.#values.set(key, value);
  }
}
