import type { WalletNamespace } from '@latchkey/core/ports';
import { createWalletNamespace } from '../wallet-namespace.ts';
import { addressEncodings, decodeTezos } from './encodings.ts';

export { toTezosPayload } from './verify.ts';

/** The networks by chain id: mainnet, ghostnet. An account has the same key on each. */
export const tezosChains: readonly string[] = ['NetXdQprcVkpaWU', 'NetXnHfVqm9iesp'];

export interface TezosWalletsOptions {
  /** The supported networks, by chain id. */
  chains?: readonly string[];
}

/**
 * Creates the Tezos wallets, for accounts of the kinds tz1, tz2 and tz3. The wallet signs the text packed as a Micheline string, which
 * `toTezosPayload` prepares. The proof contains the public key, because an address is only its hash.
 */
export function createTezosWallets({ chains = tezosChains }: TezosWalletsOptions = {}): WalletNamespace {
  return createWalletNamespace({
    namespace: 'tezos',
    chains,
    normalizeAddress: (address) => (decodeTezos(address, addressEncodings) ? address : undefined),
    verify: async (claim) => (await import('./verify.ts')).verifyTezosClaim(claim),
  });
}
