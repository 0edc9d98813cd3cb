/**
 * The result of verifying a proof. `unknown` decides nothing: a chain could not be reached, and a retry may help; or,
 * if it `isLasting`, this kind of proof can never be verified here.
 */
export type ProofVerdict =
  /** `contractChain`: a contract approved it, whose address counts on that one chain only. */
  | { kind: 'valid'; address: string; contractChain?: string }
  | { kind: 'invalid'; reason: string }
  | { kind: 'unknown'; reason: string; isLasting?: true };

/** A claim that the holder of an address agreed to a message. */
export interface WalletProof {
  /** The chain within its namespace, in CAIP-2 form: `1` for evm, `mainnet` for near. */
  chain: string;
  /** The claimed address, in any form that its chain allows. */
  address: string;
  /** The exact text that the wallet signed; the server wrote it. */
  message: string;
  /** The wallet's response: a string on most chains, a list of composite signatures on Flow. */
  signature: unknown;
  publicKey?: string | undefined;
  /** Additional fields that some wallets sign or send: nonce, recipient, callbackUrl, stateInit, timestamp … */
  details?: Readonly<Record<string, unknown>> | undefined;
}

/** The wallets of one namespace: the form of their addresses and how their signatures are verified. */
export interface WalletNamespace {
  namespace: string;
  /** The supported chains, in CAIP-2 form; absent if every chain of the namespace is. */
  chains?: readonly string[];
  /** The canonical form that is stored and compared, or undefined for anything but an address of this chain. */
  normalizeAddress(address: string, chain: string): string | undefined;
  /** Verifies a proof. Malformed input is invalid. Throws only for our own failures, which decide nothing. */
  verify(proof: WalletProof, signal?: AbortSignal): Promise<ProofVerdict>;
}
