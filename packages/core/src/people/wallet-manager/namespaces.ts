import type { Context } from '../../context.ts';
import { unnamedChainsOf } from '../wallets/index.ts';

/** Kinds of wallets and networks, by what clients call them. Whatever is not here is recognised by its address. */
const namespacesByWallet: Readonly<Record<string, readonly string[]>> = {
  evm: ['ethereum', 'evm', 'metamask', 'walletconnect', 'coinbase', 'ronin', 'opensea', 'venly', 'gnosis', 'safe'],
  magic: ['magic', 'magiclink'],
  solana: ['solana', 'phantom', 'solflare', 'backpack'],
  tezos: ['tezos', 'temple', 'kukai', 'umami'],
  flow: ['flow', 'blocto', 'lilico', 'dapper'],
  polkadot: ['polkadot', 'kusama', 'talisman', 'subwallet', 'polkadot-js'],
  near: ['near', 'meteor', 'mynearwallet'],
  bitcoin: ['bitcoin', 'hiro', 'xverse', 'unisat', 'leather'],
  xrpl: ['xrpl', 'xaman', 'xumm'],
  ton: ['ton', 'tonkeeper', 'tonconnect'],
};

export function namespaceOfWallet(name: string | undefined): string | undefined {
  const word = name?.toLowerCase();
  return Object.entries(namespacesByWallet).find(([, words]) => words.some((known) => known === word))?.[0];
}

// From the most particular form to the least: an account id of NEAR may look like nearly anything in small letters.
const byParticularity = ['evm', 'flow', 'tezos', 'polkadot', 'solana', 'bitcoin', 'xrpl', 'ton', 'near'];

export function namespaceOfAddress({ wallets }: Pick<Context, 'wallets'>, address: string): string | undefined {
  return byParticularity.find((namespace) => chainOfAddress({ wallets }, namespace, address) !== undefined);
}

/** The chain that an address is of by itself. */
export function chainOfAddress(
  { wallets }: Pick<Context, 'wallets'>,
  namespace: string,
  address: string,
): string | undefined {
  return unnamedChainsOf(namespace).find((chain) => wallets[namespace]?.normalizeAddress(address, chain) !== undefined);
}
