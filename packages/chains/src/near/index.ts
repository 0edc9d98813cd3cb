import type { WalletNamespace } from '@latchkey/core/ports';
import { createWalletNamespace } from '../wallet-namespace.ts';
import { nearChains, parseAccountId } from './account-id.ts';
import type { NearWalletsOptions } from './verify.ts';

export {
  type AccessKeyState,
  createNearAccessKeyLookup,
  type FindAccessKey,
  type NearRpcOptions,
} from './access-keys.ts';

export { createNearBlocks } from './blocks/index.ts';
export type { NearWalletsOptions } from './verify.ts';

/**
 * Creates the NEAR wallets. The signature is base64, the public key `ed25519:` and base58. `details.format` is `nep413` (the default, with
 * `nonce` of 32 bytes in base64, `recipient` and `callbackUrl` as they were signed) or `legacy-sha256` for wallets older than NEP-413. Only
 * full-access keys of the account count, so the network is queried; without a response, the result is unknown.
 */
export function createNearWallets(options: NearWalletsOptions): WalletNamespace {
  return createWalletNamespace({
    namespace: 'near',
    chains: nearChains,
    normalizeAddress: parseAccountId,
    verify: async (claim, signal) => (await import('./verify.ts')).verifyNearClaim(claim, options, signal),
  });
}
