import type { WalletNamespace } from '@latchkey/core/ports';
import { createWalletNamespace } from '../wallet-namespace.ts';
import { normalizeTonAddress, tonChains } from './address.ts';
import type { TonWalletsOptions } from './verify.ts';

export {
  createTonPublicKeyLookup,
  type FindPublicKey,
  type PublicKeyAnswer,
  type TonRpcOptions,
} from './public-keys.ts';
export type { TonWalletsOptions } from './verify.ts';

/**
 * Creates the TON wallets, verified by TON Connect's `ton_proof`. The message is its payload, the signature is base64, and `details` has
 * `timestamp`, `domain` (`lengthBytes` and `value`) and `stateInit` as the wallet sent them. The public key is read from the StateInit
 * whose hash is the address. For an unknown contract the network is queried; without a response, the result is unknown. `publicKey` is
 * optional and never trusted: it only must not contradict.
 */
export function createTonWallets(options: TonWalletsOptions): WalletNamespace {
  return createWalletNamespace({
    namespace: 'ton',
    chains: tonChains,
    normalizeAddress: normalizeTonAddress,
    verify: async (claim, signal) => (await import('./verify.ts')).verifyTonClaim(claim, options, signal),
  });
}
