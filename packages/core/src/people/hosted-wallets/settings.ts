/** What the operator decides of hosted wallets, as far as the platform itself needs to know; the signer has its own policy. */
export interface HostedWalletSettings {
  /** Whether a bare hash can be signed at all. */
  allowsHashes: boolean;
  /** How long an authenticator must be known before it approves what is signed. */
  stepUpRestSeconds: number;
  /** How long a request waits for the signer. */
  signerPatienceMs: number;
  /** How long a claim waits for the chain. */
  chainPatienceMs: number;
}
