import type { PreparedTransaction } from './wallet-registry.ts';

/** A call that a Safe makes. */
export interface SafeCall {
  to: string;
  value: bigint;
  /** 0x and hexadecimal digits. */
  data: string;
}

/** What leaves a Safe. Amounts are in the smallest unit. */
export type SafeTransfer =
  | { kind: 'coin'; to: string; amount: bigint }
  | { kind: 'erc20'; token: string; to: string; amount: bigint }
  | { kind: 'erc721'; token: string; to: string; tokenId: bigint }
  | { kind: 'erc1155'; token: string; to: string; tokenId: bigint; amount: bigint };

/** A call with its place in the order of the Safe. A Safe runs each place once. */
export interface SafeTransaction extends SafeCall {
  safe: string;
  nonce: bigint;
  /** What the call gets at least. More than 0, so that a call that fails uses its place up and can never be run later. */
  leastGas: bigint;
}

export interface SafeState {
  isDeployed: boolean;
  /** In the smallest unit of the chain's coin. */
  balance: bigint;
  nonce: bigint;
  /** In EIP-55 form; empty before the Safe is deployed. */
  owners: readonly string[];
}

/**
 * `done`: mined, and it did what it was for. `failed`: mined, and the Safe's call failed. `reverted`: mined without any
 * effect. `unknown`: no node has it.
 */
export type SafeOutcome = 'done' | 'failed' | 'reverted' | 'pending' | 'unknown';

/** The chain cannot be asked just now. The reason holds no address and no key. */
export class SafesUnavailable extends Error {
  override name = 'SafesUnavailable';
}

/** The chain refuses. `wouldFail` must not be retried; everything else the operator can fix. */
export class SafesRefusal extends Error {
  override name = 'SafesRefusal';
  readonly wouldFail: boolean;

  constructor(message: string, { wouldFail = false } = {}) {
    super(message);
    this.wouldFail = wouldFail;
  }
}

/** Safes of one owner on one chain. Methods that answer a promise may throw one of the two errors above. */
export interface Safes {
  readonly chainId: number;
  /** The operator's own key that pays fees; without it the platform makes one. */
  readonly payerKey: Uint8Array | undefined;
  payerAddress(payerKey: Uint8Array): string;
  readState(safe: string): Promise<SafeState>;
  encodeTransfer(safe: string, transfer: SafeTransfer): SafeCall;
  /** The call by which a Safe of one owner gets another. */
  encodeOwnerChange(safe: string, from: string, to: string): SafeCall;
  /** Refuses what would fail now. */
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
