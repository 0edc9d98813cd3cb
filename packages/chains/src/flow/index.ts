import type { WalletNamespace } from '@latchkey/core/ports';
import { createWalletNamespace } from '../wallet-namespace.ts';
import { flowChains, normalizeAddress } from './address.ts';
import type { FlowOptions } from './verify.ts';

export type { AccountKey, FindAccountKeys } from './account-keys.ts';

export { createAccountKeyReader, type FlowAccessOptions } from './read-account-keys.ts';
export { type AccountProof, type FlowOptions, writeAccountProof } from './verify.ts';

/**
 * The wallets of Flow on `mainnet`, `testnet` and the local `emulator`. The signature is the list of composite signatures
 * that FCL answers. `details.scheme` is `user-signature` (the default) or `account-proof`, whose message is one that
 * `writeAccountProof` made. The keys of an account are known to its chain only; while it cannot be asked nothing is decided.
 */
export function createFlowWallets(options: FlowOptions): WalletNamespace {
  return createWalletNamespace({
    namespace: 'flow',
    chains: flowChains,
    normalizeAddress,
    verify: async (claim, signal) => (await import('./verify.ts')).verifyFlowClaim(claim, options, signal),
  });
}
