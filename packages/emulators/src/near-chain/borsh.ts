export class BorshError extends Error {}

/** Reads Borsh, the little-endian binary encoding of NEAR's transactions. */
export class BorshReader {
  readonly #view: DataView;
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get offset(): number {
    return this.#at;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#take(8), true);
  }

  u128(): bigint {
    const low = this.u64();
    return (this.u64() << 64n) | low;
  }

  fixed(length: number): Uint8Array {
    const start = this.#take(length);
    return this.#bytes.slice(start, start + length);
  }

  bytes(): Uint8Array {
    return this.fixed(this.u32());
  }

  text(): string {
    return new TextDecoder('utf-8', { fatal: true }).decode(this.bytes());
  }

  list<Item>(read: () => Item): Item[] {
    const length = this.u32();
    if (length > this.#bytes.length) throw new BorshError('A list is longer than what holds it.');
    return Array.from({ length }, read);
  }

  #take(length: number): number {
    const start = this.#at;
    if (start + length > this.#bytes.length) throw new BorshError('The bytes end too early.');
    this.#at += length;
    return start;
  }
}

/** Writes Borsh. */
export class BorshWriter {
  readonly #parts: Uint8Array[] = [];

  u8(value: number): this {
    return this.fixed(Uint8Array.of(value));
  }

  u32(value: number): this {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, value, true);
    return this.fixed(bytes);
  }

  u64(value: bigint): this {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setBigUint64(0, value, true);
    return this.fixed(bytes);
  }

  u128(value: bigint): this {
    return this.u64(value & 0xffff_ffff_ffff_ffffn).u64(value >> 64n);
  }

  fixed(bytes: Uint8Array): this {
    this.#parts.push(bytes);
    return this;
  }

  bytes(bytes: Uint8Array): this {
    return this.u32(bytes.length).fixed(bytes);
  }

  text(text: string): this {
    return this.bytes(Buffer.from(text));
  }

  list<Item>(items: readonly Item[], write: (item: Item) => void): this {
    this.u32(items.length);
    for (const item of items) write(item);
    return this;
  }

  done(): Uint8Array {
    return Buffer.concat(this.#parts);
  }
}
