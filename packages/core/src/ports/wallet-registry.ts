/** What the registry stores about a wallet. */
export interface RegistryClaim {
  wallet: string;
  /** 0x and 64 hexadecimal digits: a salted hash of the user. */
  ownerHash: string;
}

/** A signed transaction that has not been sent yet. Sending it twice has the same effect as sending it once. */
export interface PreparedTransaction {
  hash: string;
  raw: string;
  /** The maximum that its sender pays for it, in the smallest unit of the chain's native currency. */
  maxCost: bigint;
}

/** `mined` and `reverted` are final; `unknown`: no node has it, so it may be created again. */
export type TransactionState = 'mined' | 'reverted' | 'pending' | 'unknown';

/** The registry cannot be reached right now. The reason contains no URL and no key. */
export class RegistryUnavailable extends Error {
  override name = 'RegistryUnavailable';
}

/** The registry or its chain refuses permanently: another registrar, no funds for the fee, a wallet of another user. */
export class RegistryRefusal extends Error {
  override name = 'RegistryRefusal';
}

/** The contract on which hosted wallets are registered. Every method may throw one of the two errors above. */
export interface WalletRegistry {
  readonly chainId: number;
  readonly address: string;
  /** The operator's registrar key; without it, the platform creates one. */
  readonly registrarKey: Uint8Array | undefined;
  /** The address of a registrar key, in EIP-55 form. */
  registrarAddress(key: Uint8Array): string;
  /** What is registered for a wallet, and by which transaction. */
  findClaim(wallet: string): Promise<{ ownerHash: string; txHash: string } | undefined>;
  prepareClaim(claim: RegistryClaim, registrarKey: Uint8Array): Promise<PreparedTransaction>;
  send(transaction: PreparedTransaction): Promise<void>;
  stateOf(txHash: string): Promise<TransactionState>;
}
