import { Malformed } from '@latchkey/adapter-kit';
import { hexToBytes } from '@noble/hashes/utils.js';

/** Reads a stored value field by field. Later fields may be left unread, because runtimes add more. */
export class ScaleReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(hex: string) {
    if (!/^0x(?:[0-9a-f]{2})*$/i.test(hex)) throw new Malformed('a stored value is not hex');
    this.#bytes = hexToBytes(hex.slice(2));
  }

  skip(length: number): this {
    this.#take(length);
    return this;
  }

  u8(): number {
    return this.#take(1)[0] ?? 0;
  }

  u128(): bigint {
    return this.#take(16).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  }

  /** Reads bytes with a length prefix in SCALE's compact form. */
  bytes(): Uint8Array {
    return this.#take(this.#length());
  }

  /** Skips bytes with a length prefix. */
  skipBytes(): this {
    this.bytes();
    return this;
  }

  text(): string {
    return new TextDecoder().decode(this.bytes());
  }

  // The two lowest bits give the number of bytes.
  #length(): number {
    const first = this.u8();
    if ((first & 3) === 0) return first >> 2;
    if ((first & 3) === 1) return (first >> 2) | (this.u8() << 6);
    if ((first & 3) === 2) return (first >> 2) | (this.u8() << 6) | (this.u8() << 14) | (this.u8() << 22);
    throw new Malformed('a stored value is longer than anything read here');
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length;
    if (length < 0 || end > this.#bytes.length) throw new Malformed('a stored value ends too early');
    const part = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return part;
  }
}
