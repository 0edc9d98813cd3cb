import type { PreparedTransaction } from './wallet-registry.ts';

/** A call that a Safe makes. */
export interface SafeCall {
  to: string;
  value: bigint;
  /** 0x and hexadecimal digits. */
  data: string;
}

/** A transfer out of a Safe. Amounts are in the smallest unit. */
export type SafeTransfer =
  | { kind: 'coin'; to: string; amount: bigint }
  | { kind: 'erc20'; token: string; to: string; amount: bigint }
  | { kind: 'erc721'; token: string; to: string; tokenId: bigint }
  | { kind: 'erc1155'; token: string; to: string; tokenId: bigint; amount: bigint };

/** A call with its nonce. A Safe executes each nonce once. */
export interface SafeTransaction extends SafeCall {
  safe: string;
  nonce: bigint;
  /**
   * The minimum gas of the call. More than 0, so that a failed call uses up its nonce and can never be executed later.
   */
  leastGas: bigint;
}

export interface SafeState {
  isDeployed: boolean;
  /** In the smallest unit of the chain's native currency. */
  balance: bigint;
  nonce: bigint;
  /** In EIP-55 form; empty before the Safe is deployed. */
  owners: readonly string[];
}

/**
 * `done`: mined and successful. `failed`: mined, but the Safe's call failed. `reverted`: mined without any effect.
 * `unknown`: no node has it.
 */
export type SafeOutcome = 'done' | 'failed' | 'reverted' | 'pending' | 'unknown';

/** The chain cannot be reached right now. The reason contains no URL and no key. */
export class SafesUnavailable extends Error {
  override name = 'SafesUnavailable';
}

/** The chain refuses. `wouldFail` must not be retried; the operator can fix everything else. */
export class SafesRefusal extends Error {
  override name = 'SafesRefusal';
  readonly wouldFail: boolean;

  constructor(message: string, { wouldFail = false } = {}) {
    super(message);
    this.wouldFail = wouldFail;
  }
}

/** Safes with one owner on one chain. Methods that return a promise may throw one of the two errors above. */
export interface Safes {
  readonly chainId: number;
  /** The operator's key that pays fees; without it, the platform creates one. */
  readonly payerKey: Uint8Array | undefined;
  payerAddress(payerKey: Uint8Array): string;
  readState(safe: string): Promise<SafeState>;
  encodeTransfer(safe: string, transfer: SafeTransfer): SafeCall;
  /** The call that replaces the single owner of a Safe. */
  encodeOwnerChange(safe: string, from: string, to: string): SafeCall;
  /** Simulates the call, and refuses it if it would fail now. */
  rehearse(safe: string, call: SafeCall): Promise<void>;
  prepareDeployment(safe: { owner: string; saltNonce: bigint }, payerKey: Uint8Array): Promise<PreparedTransaction>;
  /** `signature` is the owner's over the typed data of the transaction. */
  prepareTransaction(
    transaction: SafeTransaction,
    signature: string,
    payerKey: Uint8Array,
  ): Promise<PreparedTransaction>;
  send(transaction: PreparedTransaction): Promise<void>;
  outcomeOf(txHash: string): Promise<SafeOutcome>;
}
