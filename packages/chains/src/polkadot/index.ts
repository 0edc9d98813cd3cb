import type { WalletNamespace } from '@latchkey/core/ports';
import { createWalletNamespace, invalid } from '../wallet-namespace.ts';
import { knownNetworks, type PolkadotNetwork, parseAccount } from './account.ts';

export type { PolkadotNetwork } from './account.ts';

export interface PolkadotOptions {
  /**
   * Also accepts signatures over the bare text. Wallets put `<Bytes>` around a text so that it can never be a transaction; one that does
   * not would sign a transaction just as readily.
   */
  allowUnwrapped?: boolean;
  /** Additional chains, by their name in a proof. */
  networks?: Readonly<Record<string, PolkadotNetwork>>;
}

/**
 * Creates the wallets of Polkadot, Kusama and their parachains, by name or CAIP-2 id. A proof may state the key type in
 * `details.cryptoType`; otherwise every type that fits the account is tried.
 */
export function createPolkadotWallets(options: PolkadotOptions = {}): WalletNamespace {
  const networks = new Map(Object.entries({ ...knownNetworks, ...options.networks }));
  const findAccount = (address: string, chain: string) => {
    const network = networks.get(chain);
    return network && parseAccount(address, network);
  };
  return createWalletNamespace({
    namespace: 'polkadot',
    chains: [...networks.keys()],
    normalizeAddress: (address, chain) => findAccount(address, chain)?.text,
    verify: async (claim) => {
      const account = findAccount(claim.address, claim.chain);
      if (account === undefined) return invalid('This is not a valid account.');
      return (await import('./verify.ts')).verifyPolkadotClaim(claim, account, options);
    },
  });
}
