import type { WalletNamespace } from '@latchkey/core/ports';
import { createWalletNamespace } from '../wallet-namespace.ts';
import { parseAddress } from './address.ts';
import { bitcoinChains } from './networks.ts';
import type { Bip137Options } from './verify-bip137.ts';

export type { Bip137Options } from './verify-bip137.ts';

/**
 * The wallets of Bitcoin, whose chains are called `mainnet`, `testnet`, `testnet4`, `signet` and `regtest` or as CAIP-2
 * calls them. A signature is of BIP-322 (behind the prefix of its variant, or the simple one without any) or of BIP-137.
 * Addresses that only a script interpreter could verify, such as those with time locks, are answered with `unknown`.
 */
export function createBitcoinWallets(options: Bip137Options = {}): WalletNamespace {
  return createWalletNamespace({
    namespace: 'bitcoin',
    chains: bitcoinChains,
    normalizeAddress: (address, chain) => parseAddress(address, chain)?.text,
    verify: async (claim) => (await import('./verify.ts')).verifyBitcoinClaim(claim, options),
  });
}
