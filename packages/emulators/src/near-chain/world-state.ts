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
 * Everything that the chain remembers, as keys and values that are replaced and never changed in place. The changes are
 * kept, so that what fails can be undone and an older height can still be asked about.
 */
export class WorldState implements ReadState {
  readonly #values = new Map<string, unknown>();
  #changes: Change[] = [];
  #height = 0;
  #oldest = 0;

  /** The lowest height whose state is still known. */
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

  /** All that is set from now on belongs to this height. */
  beginHeight(height: number): void {
    this.#height = height;
    if (this.#changes.length > keptChanges) this.forgetBelow(this.#changes[keptChanges / 2]?.height ?? height);
  }

  forgetBelow(height: number): void {
    this.#oldest = Math.max(this.#oldest, height);
    this.#changes = this.#changes.filter((change) => change.height > this.#oldest);
  }

  /** Marks a point to go back to. */
  mark(): number {
    return this.#changes.length;
  }

  undoTo(mark: number): void {
    for (let change = this.#changes.length; change > mark; change -= 1) {
      const last = this.#changes.pop();
      if (last !== undefined) this.#write(last.key, last.old);
    }
  }

  /** The state as it was after a height; undefined when that is forgotten. */
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

  /** Every value whose key begins so. It looks at all keys: for what is asked rarely. */
  under(prefix: string): [key: string, value: unknown][] {
    return [...this.#values].filter(([key]) => key.startsWith(prefix));
  }

  #write(key: string, value: unknown): void {
    if (value === undefined) this.#values.delete(key);
    else this.#values.set(key, value);
  }
}
