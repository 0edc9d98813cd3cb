import { unnamedChainsOf } from '../../identity/wallets/index.ts';
import type { Context } from '../../shared/context.ts';

/** Wallets and networks by the names that clients use, without spaces and punctuation. */
const namespacesByWallet: Readonly<Record<string, readonly string[]>> = {
  evm: [
    ...['ethereum', 'evm', 'eoa', 'injected', 'metamask', 'walletconnect', 'ronin', 'opensea', 'venly'],
    ...['coinbase', 'coinbasewallet', 'gnosis', 'gnosissafe', 'safe', 'dsproxy', 'epsproxy', 'loopring', 'immutablex'],
    ...['argent', 'bitget', 'brave', 'bravewallet', 'exodus', 'frame', 'imtoken', 'ledger', 'okx', 'okxwallet'],
    ...['rabby', 'rainbow', 'taho', 'trezor', 'trust', 'trustwallet', 'uniswap', 'zerion'],
  ],
  magic: ['magic', 'magiclink'],
  solana: ['solana', 'phantom', 'solflare', 'backpack', 'glow'],
  tezos: ['tezos', 'temple', 'kukai', 'umami', 'beacon'],
  flow: ['flow', 'blocto', 'lilico', 'dapper', 'fcl'],
  polkadot: ['polkadot', 'kusama', 'talisman', 'subwallet', 'polkadotjs'],
  near: ['near', 'nearwallet', 'meteor', 'mynearwallet'],
  bitcoin: ['bitcoin', 'hiro', 'xverse', 'unisat', 'leather'],
  xrpl: ['xrpl', 'xaman', 'xumm'],
  ton: ['ton', 'tonkeeper', 'tonconnect'],
};

/** Every accepted value of `walletType`. */
export const walletTypes: readonly string[] = Object.values(namespacesByWallet).flat();

/** Returns the namespace of a wallet type; WalletConnect, wallet-connect and wallet_connect are the same. */
export function namespaceOfWallet(name: string | undefined): string | undefined {
  const word = name?.toLowerCase().replaceAll(/[\s._-]/g, '');
  return Object.entries(namespacesByWallet).find(([, words]) => words.some((known) => known === word))?.[0];
}

// From the most specific address format to the least.
const byParticularity = ['evm', 'flow', 'tezos', 'polkadot', 'solana', 'bitcoin', 'xrpl', 'ton', 'near'];

/**
 * A user's account on NEAR: a sub-account, or an implicit account (the key itself). Names without a dot may be of any
 * chain.
 */
const nearForm = /\.|^[0-9a-f]{64}$/;

/** Returns the only namespace that an address can belong to; undefined if the caller has to name it. */
export function namespaceOfAddress({ wallets }: Pick<Context, 'wallets'>, address: string): string | undefined {
  const found = byParticularity.find((namespace) => chainOfAddress({ wallets }, namespace, address) !== undefined);
  return found === 'near' && !nearForm.test(address) ? undefined : found;
}

/** Returns the chain that follows from an address. */
export function chainOfAddress(
  { wallets }: Pick<Context, 'wallets'>,
  namespace: string,
  address: string,
): string | undefined {
  return unnamedChainsOf(namespace).find((chain) => wallets[namespace]?.normalizeAddress(address, chain) !== undefined);
}
