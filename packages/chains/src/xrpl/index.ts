import type { WalletNamespace } from '@latchkey/core/ports';
import { createWalletNamespace } from '../wallet-namespace.ts';
import { normalizeXrplAddress, xrplChains } from './address.ts';

export interface XrplWalletsOptions {
  /** The supported networks, by id. */
  chains?: readonly string[];
}

/**
 * Creates the XRP Ledger wallets. With a public key, the signature is over the text itself; without one, it is the signed blob of a sign-in
 * whose memo is the text. Both are hexadecimal. Only the master key of an account proves it.
 */
export function createXrplWallets({ chains = xrplChains }: XrplWalletsOptions = {}): WalletNamespace {
  return createWalletNamespace({
    namespace: 'xrpl',
    chains,
    normalizeAddress: normalizeXrplAddress,
    verify: async (claim) => (await import('./verify.ts')).verifyXrplClaim(claim),
  });
}
