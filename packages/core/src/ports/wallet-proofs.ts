/**
 * What a look at a proof came to. `unknown` decides nothing: a chain could not be asked, and trying again may help; or, if
 * it `isLasting`, the proof is of a kind that cannot be evaluated here at any time.
 */
export type ProofVerdict =
  /** `contractChain`: a contract agreed, which speaks for its address on that one chain only. */
  | { kind: 'valid'; address: string; contractChain?: string }
  | { kind: 'invalid'; reason: string }
  | { kind: 'unknown'; reason: string; isLasting?: true };

/** A claim that the holder of an address agreed to a message. */
export interface WalletProof {
  /** The chain within its namespace, as CAIP-2 spells it: `1` for evm, `mainnet` for near. */
  chain: string;
  /** The address claimed, in any spelling its chain allows. */
  address: string;
  /** The exact text the wallet was asked to sign; the server wrote it. */
  message: string;
  /** What the wallet answered: a text on most chains, a list of composite signatures on Flow. */
  signature: unknown;
  publicKey?: string | undefined;
  /** Further fields that some wallets sign over or send along: nonce, recipient, callbackUrl, stateInit, timestamp … */
  details?: Readonly<Record<string, unknown>> | undefined;
}

/** The wallets of one namespace: how their addresses are spelled and how their signatures are evaluated. */
export interface WalletNamespace {
  namespace: string;
  /** The chains that are served, as CAIP-2 spells them; absent where every chain of the namespace is. */
  chains?: readonly string[];
  /** The canonical form that is stored and compared, or undefined for anything but an address of this chain. */
  normalizeAddress(address: string, chain: string): string | undefined;
  /** Verifies a proof. Malformed input is invalid. Throws only for our own failures, which decide nothing. */
  verify(proof: WalletProof, signal?: AbortSignal): Promise<ProofVerdict>;
}
