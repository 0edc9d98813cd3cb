import type { Address } from 'viem';

export interface KeyMove {
  keyId: number;
  from: Address;
  to: Address;
}

/** Who owned which key after each block of the current chain. */
export class KeyHistory {
  readonly #blocks: { owners: ReadonlyMap<number, Address>; move: KeyMove | undefined }[];

  constructor(owners: ReadonlyMap<number, Address>) {
    this.#blocks = [{ owners, move: undefined }];
  }

  get length(): number {
    return this.#blocks.length;
  }

  owners(): ReadonlyMap<number, Address> {
    return this.#blocks.at(-1)?.owners ?? new Map();
  }

  add(move?: KeyMove): void {
    const owners = move === undefined ? this.owners() : new Map(this.owners()).set(move.keyId, move.to);
    this.#blocks.push({ owners, move });
  }

  /** Removes blocks from the end, and returns what moved in each. */
  cut(blocks: number): (KeyMove | undefined)[] {
    return this.#blocks.splice(-blocks).map(({ move }) => move);
  }

  /** Returns who has a key, this many blocks below the end. */
  holdersAt(depth: number): ReadonlySet<Address> {
    // Nothing moved in the blocks before the first.
    const block = this.#blocks.at(-1 - depth) ?? this.#blocks[0];
    return new Set(block?.owners.values());
  }
}
