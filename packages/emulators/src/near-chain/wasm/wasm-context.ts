/** The storage of a contract, with bytes as keys and values. */
export interface ByteStorage {
  get(key: Uint8Array): Uint8Array | undefined;
  /** Undefined deletes the key. */
  set(key: Uint8Array, value: Uint8Array | undefined): void;
  /** The storage usage of the account, in bytes. */
  usage(): number;
}

/** What a call can read and do besides a view. */
export interface CallSide {
  predecessor: string;
  signer: string;
  deposit: bigint;
  gas: number;
  /** The awaited results of a callback; undefined for failures. */
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

/** A view used what only a transaction has. */
export class ProhibitedInView extends Error {}
