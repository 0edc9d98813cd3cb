/** What a contract keeps, as bytes under bytes. */
export interface ByteStorage {
  get(key: Uint8Array): Uint8Array | undefined;
  /** Undefined forgets the key. */
  set(key: Uint8Array, value: Uint8Array | undefined): void;
  /** All that the account uses, in bytes. */
  usage(): number;
}

/** What a call knows and may do beside a view. */
export interface CallSide {
  predecessor: string;
  signer: string;
  deposit: bigint;
  gas: number;
  /** The results that a callback was waiting for; undefined for what failed. */
  results: readonly (Uint8Array | undefined)[];
  log(line: string): void;
}

export interface WasmContext {
  account: string;
  args: Uint8Array;
  timestampNs: bigint;
  storage: ByteStorage;
  /** Undefined for a view. */
  call: CallSide | undefined;
}

/** A view asked for what only a transaction has. */
export class ProhibitedInView extends Error {}
