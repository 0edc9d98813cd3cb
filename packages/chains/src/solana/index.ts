import type { WalletNamespace } from '@latchkey/core/ports';
import { createWalletNamespace } from '../wallet-namespace.ts';
import { parseSolanaAddress } from './address.ts';

/** The clusters by the prefix of their genesis hash: mainnet, testnet, devnet. An account has the same key on each. */
export const solanaChains: readonly string[] = [
  '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  '4uhcVJyU9pJkvQyS88uRDiswHXSGkY3z',
  'EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
];

export interface SolanaWalletsOptions {
  /** The site that a Sign In With Solana message must name. */
  domain?: string;
}

/**
 * Creates the Solana wallets. The signature is base58, base64 or hexadecimal. `details.format` is `message` (the default: the text itself
 * was signed, plain or as Sign In With Solana) or `offchain-v0`. `details.nonce`, if given, must match the nonce of a sign-in message.
 */
export function createSolanaWallets(options: SolanaWalletsOptions = {}): WalletNamespace {
  return createWalletNamespace({
    namespace: 'solana',
    chains: solanaChains,
    normalizeAddress: (address) => (parseSolanaAddress(address) ? address : undefined),
    verify: async (claim) => (await import('./verify.ts')).verifySolanaClaim(claim, options.domain),
  });
}
