/** Reads the parts of a Solana message one after another; `bad` once something does not fit. */
class Reader {
  bad = false;
  readonly #bytes: Uint8Array;
  #place = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  byte(): number {
    const byte = this.#bytes[this.#place++];
    if (byte === undefined) this.bad = true;
    return byte ?? 0;
  }

  skip(length: number): void {
    this.#place += length;
    if (this.#place > this.#bytes.length) this.bad = true;
  }

  /** The length prefix of a list: seven bits a byte, at most three bytes. */
  compactLength(): number {
    let length = 0;
    for (let shift = 0; shift < 21; shift += 7) {
      const byte = this.byte();
      length |= (byte & 0x7f) << shift;
      if (byte < 0x80) return length;
    }
    this.bad = true;
    return 0;
  }
}

function skipInstructions(reader: Reader): void {
  const count = reader.compactLength();
  for (let n = 0; n < count && !reader.bad; n++) {
    reader.skip(1);
    reader.skip(reader.compactLength());
    reader.skip(reader.compactLength());
  }
}

/**
 * True for bytes that a validator could read as a transaction to execute, of the legacy or a versioned format. A signature
 * over them moves funds, so it must never serve as a login. Bytes behind a complete transaction do not make it harmless.
 */
export function isSolanaTransaction(bytes: Uint8Array): boolean {
  const reader = new Reader(bytes);
  const versioned = ((bytes[0] ?? 0) & 0x80) !== 0;
  if (versioned) reader.skip(1);
  const [signers, readonlySigners, readonlyOthers] = [reader.byte(), reader.byte(), reader.byte()];
  const accounts = reader.compactLength();
  if (signers === 0 || readonlySigners >= signers || signers + readonlyOthers > accounts) return false;
  reader.skip(32 * accounts + 32);
  skipInstructions(reader);
  return !reader.bad;
}
