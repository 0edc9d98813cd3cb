import type { WalletNamespace } from '@latchkey/core/ports';
import { createWalletNamespace } from '../wallet-namespace.ts';
import { flowChains, normalizeAddress } from './address.ts';
import type { FlowOptions } from './verify.ts';

export type { AccountKey, FindAccountKeys } from './account-keys.ts';

export { createAccountKeyReader, type FlowAccessOptions } from './read-account-keys.ts';
export { type AccountProof, type FlowOptions, writeAccountProof } from './verify.ts';

/**
 * Creates the Flow wallets on `mainnet`, `testnet` and the local `emulator`. The signature is the list of composite signatures that FCL
 * returns. `details.scheme` is `user-signature` (the default) or `account-proof`, whose message is one from `writeAccountProof`. Only the
 * chain knows the keys of an account; while it cannot be read, the result is unknown.
 */
export function createFlowWallets(options: FlowOptions): WalletNamespace {
  return createWalletNamespace({
    namespace: 'flow',
    chains: flowChains,
    normalizeAddress,
    verify: async (claim, signal) => (await import('./verify.ts')).verifyFlowClaim(claim, options, signal),
  });
}
