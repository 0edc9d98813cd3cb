/** The memory of a running contract, and the registers that its host leaves results in. */
export class Guest {
  readonly #memory: () => ArrayBuffer;
  readonly #registers = new Map<bigint, Uint8Array>();

  constructor(memory: () => ArrayBuffer) {
    this.#memory = memory;
  }

  bytes(length: bigint, at: bigint): Uint8Array {
    return new Uint8Array(this.#memory(), Number(at), Number(length)).slice();
  }

  text(length: bigint, at: bigint): string {
    return new TextDecoder('utf-8', { fatal: true }).decode(this.bytes(length, at));
  }

  write(at: bigint, bytes: Uint8Array): void {
    new Uint8Array(this.#memory()).set(bytes, Number(at));
  }

  /** A whole number of 128 bits, the lowest byte first. */
  amount(at: bigint): bigint {
    const view = new DataView(this.#memory(), Number(at), 16);
    return view.getBigUint64(0, true) + (view.getBigUint64(8, true) << 64n);
  }

  writeAmount(at: bigint, amount: bigint): void {
    const view = new DataView(this.#memory(), Number(at), 16);
    view.setBigUint64(0, amount & 0xffffffffffffffffn, true);
    view.setBigUint64(8, amount >> 64n, true);
  }

  /** The largest number stands for no register at all. */
  setRegister(register: bigint, bytes: Uint8Array): void {
    const id = BigInt.asUintN(64, register);
    if (id !== 0xffffffffffffffffn) this.#registers.set(id, bytes);
  }

  register(register: bigint): Uint8Array | undefined {
    return this.#registers.get(BigInt.asUintN(64, register));
  }
}
