import { t } from '../messages/index.ts';

/** What a user who signs elsewhere needs to know about a chain. */
export interface ChainWords {
  name: string;
  /** Where and how the message is signed. */
  how: string;
  /** Set if the key cannot be derived from the address. */
  publicKey?: string;
  /** What the signature looks like. */
  signature: string;
}

const chains: Readonly<Record<string, () => ChainWords>> = {
  evm: () => ({ name: t('chain.evm'), how: t('chain.how.evm'), signature: t('chain.hex') }),
  solana: () => ({ name: 'Solana', how: t('chain.how.plain'), signature: 'Base58' }),
  tezos: () => ({
    name: 'Tezos',
    how: t('chain.how.tezos'),
    publicKey: t('chain.beginsWith', { prefixes: oneOf(['edpk', 'sppk', 'p2pk']) }),
    signature: t('chain.beginsWith', { prefixes: oneOf(['edsig', 'spsig', 'p2sig', 'sig']) }),
  }),
  flow: () => ({ name: 'Flow', how: t('chain.how.flow'), signature: t('chain.jsonList') }),
  polkadot: () => ({ name: t('chain.polkadot'), how: t('chain.how.polkadot'), signature: t('chain.hex') }),
  near: () => ({
    name: 'NEAR',
    how: t('chain.how.near'),
    publicKey: t('chain.beginsWith', { prefixes: 'ed25519:' }),
    signature: 'Base64',
  }),
  bitcoin: () => ({ name: 'Bitcoin', how: t('chain.how.bitcoin'), signature: 'Base64' }),
  xrpl: () => ({
    name: 'XRP Ledger',
    how: t('chain.how.xrpl'),
    publicKey: t('chain.hexOrEmpty'),
    signature: t('chain.hexDigits'),
  }),
  ton: () => ({ name: 'TON', how: t('chain.how.ton'), signature: t('chain.jsonProof') }),
};

/** `edpk, sppk or p2pk`. */
function oneOf(prefixes: readonly string[]): string {
  return new Intl.ListFormat(t.locale, { type: 'disjunction' }).format(prefixes).replace(', or ', ' or ');
}

/** Every kind of chain whose wallets can be linked, if the server supports it. */
export const chainNamespaces: readonly string[] = Object.keys(chains);

export function chainWords(namespace: string): ChainWords {
  return chains[namespace]?.() ?? { name: namespace, how: t('chain.how.other'), signature: t('chain.asShown') };
}

// SS58 with Kusama's prefix and 32 bytes. Polkadot addresses begin with 1, generic ones with 5.
const kusamaAddress = /^[C-HJ][1-9A-HJ-NP-Za-km-z]{46}$/;

/** Returns the account id of an address on the main chain of its kind. The server validates it. */
export function accountIdOf(namespace: string, address: string): string {
  const isKusama = namespace === 'polkadot' && kusamaAddress.test(address);
  return `${namespace}:${isKusama ? 'kusama' : 'mainnet'}:${address}`;
}
