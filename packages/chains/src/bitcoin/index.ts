import type { WalletNamespace } from '@latchkey/core/ports';
import { createWalletNamespace } from '../wallet-namespace.ts';
import { bitcoinChains, parseAddress } from './address.ts';
import type { Bip137Options } from './verify-bip137.ts';

export type { Bip137Options } from './verify-bip137.ts';

/**
 * Creates the Bitcoin wallets. Chains are named `mainnet`, `testnet`, `testnet4`, `signet` and `regtest`, or by their CAIP-2 ids.
 * Signatures are BIP-322 (with the prefix of its variant, or the simple variant without one) or BIP-137. Addresses that only a script
 * interpreter could verify, such as those with time locks, give `unknown`.
 */
export function createBitcoinWallets(options: Bip137Options = {}): WalletNamespace {
  return createWalletNamespace({
    namespace: 'bitcoin',
    chains: bitcoinChains,
    normalizeAddress: (address, chain) => parseAddress(address, chain)?.text,
    verify: async (claim) => (await import('./verify.ts')).verifyBitcoinClaim(claim, options),
  });
}
