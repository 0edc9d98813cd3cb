interface NamespaceChains {
  /** The display name of the chain, as in the first line of a message to sign. */
  title: string;
  /** The chain that is meant when none is named, as CAIP-2 spells it. */
  main: string;
  /** Other chains whose addresses say by themselves which chain they are of. */
  others?: readonly string[];
  /** Other names of chains, in lower case. */
  names: Readonly<Record<string, string>>;
}

const solana = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const tezos = 'NetXdQprcVkpaWU';

const namespaces: Readonly<Record<string, NamespaceChains>> = {
  evm: { title: 'Ethereum', main: '1', names: { mainnet: '1' } },
  magic: { title: 'Ethereum', main: '1', names: { mainnet: '1' } },
  solana: {
    title: 'Solana',
    main: solana,
    names: {
      mainnet: solana,
      'mainnet-beta': solana,
      solana,
      testnet: '4uhcVJyU9pJkvQyS88uRDiswHXSGkY3z',
      devnet: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
    },
  },
  tezos: { title: 'Tezos', main: tezos, names: { mainnet: tezos, tezos, ghostnet: 'NetXnHfVqm9iesp' } },
  flow: { title: 'Flow', main: 'mainnet', names: { flow: 'mainnet' } },
  polkadot: { title: 'Polkadot', main: 'polkadot', others: ['kusama'], names: { mainnet: 'polkadot' } },
  near: { title: 'NEAR', main: 'mainnet', names: { near: 'mainnet' } },
  bitcoin: { title: 'Bitcoin', main: 'mainnet', names: { bitcoin: 'mainnet' } },
  xrpl: { title: 'XRPL', main: '0', names: { mainnet: '0', xrpl: '0', testnet: '1', devnet: '2' } },
  ton: { title: 'TON', main: '-239', names: { mainnet: '-239', ton: '-239', testnet: '-3' } },
};

/** Accounts of services that are linked and counted like wallets, and are none: no list of wallets shows them. */
export const serviceNamespaces = ['twitter'];

// Non-EVM chains have numbers on the wire too; each means the main chain of its kind.
const numbered = /^8000000000\d{3}$/;

/** The chain within a namespace that a name or number means; the main one when none is named. */
export function walletChainOf(namespace: string, name: string | undefined): string {
  const known = namespaces[namespace];
  if (name === undefined || numbered.test(name)) return known?.main ?? 'mainnet';
  return known?.names[name.toLowerCase()] ?? name;
}

/** What a chain within a namespace is called, for messages: a name that is understood, or its reference. */
export function chainName(namespace: string, chain: string): string {
  if (/^[a-z]+$/.test(chain)) return chain;
  const names = Object.entries(namespaces[namespace]?.names ?? {});
  return names.find(([, reference]) => reference === chain)?.[0] ?? chain;
}

/** The chains that an address may be of when none is named, the main one first. */
export function unnamedChainsOf(namespace: string): readonly string[] {
  return [walletChainOf(namespace, undefined), ...(namespaces[namespace]?.others ?? [])];
}

/** The chain that a linked wallet is shown with; the main one goes by the name it always had. */
export function chainShown(namespace: string, chain: string | null): string | null {
  return chain === walletChainOf(namespace, undefined) ? null : chain;
}

/** What people call the chains of a namespace. */
export function chainTitle(namespace: string): string {
  return namespaces[namespace]?.title ?? namespace;
}

/**
 * How an address is shown that was written in another spelling than the stored one: as it was written, since several networks
 * share an account, each with a spelling of its own. Addresses of EVM chains have one spelling for all of them.
 */
export function spellingShown(namespace: string, written: string, stored: string): string | undefined {
  return written === stored || ownerNamespace(namespace) === 'evm' ? undefined : written;
}

/** Whose wallets these are: Magic keeps Ethereum keys, so what it proves is an Ethereum account. */
export function ownerNamespace(namespace: string): string {
  return namespace === 'magic' ? 'evm' : namespace;
}

/** What people call the family of chains of a wallet. */
export function walletTitle(namespace: string): string {
  return namespaces[namespace]?.title ?? namespace;
}
