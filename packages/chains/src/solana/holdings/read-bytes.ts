import { Malformed } from '@latchkey/adapter-kit';
import { base58 } from '@scure/base';

/** Reads the fields of an account in order, as its program wrote them. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Whether anything is left. Programs added fields over the years, so older accounts end early. */
  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  skip(length: number): this {
    this.#take(length);
    return this;
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#take(8), true);
  }

  bool(): boolean {
    return this.u8() !== 0;
  }

  address(): string {
    const start = this.#take(32);
    return base58.encode(this.#bytes.subarray(start, start + 32));
  }

  /** Reads a string with a length prefix. Metaplex pads strings with zeros. */
  text(): string {
    const length = this.u32();
    const start = this.#take(length);
    return new TextDecoder().decode(this.#bytes.subarray(start, start + length)).replace(/\0+$/, '');
  }

  optional<Value>(read: () => Value): Value | undefined {
    return this.u8() === 0 ? undefined : read();
  }

  list<Value>(read: () => Value): Value[] {
    const length = this.u32();
    if (length > this.#bytes.length) throw new Malformed('an account has a list that is longer than itself');
    return Array.from({ length }, read);
  }

  #take(length: number): number {
    const start = this.#at;
    if (start + length > this.#bytes.length) throw new Malformed('an account ends too early');
    this.#at = start + length;
    return start;
  }
}
