interface NamespaceChains {
  /** The display name of the chain, as in the first line of a message to sign. */
  title: string;
  /** The default chain, as its CAIP-2 reference. */
  main: string;
  /** Other chains whose addresses identify their chain. */
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

/**
 * Accounts of services that are linked and counted like wallets, but are not wallets: no list of wallets shows them.
 */
export const serviceNamespaces = ['twitter'];

// Non-EVM chains have numbers in the API too; each means the main chain of its kind.
const numbered = /^8000000000\d{3}$/;

/** Returns the chain of a namespace for a name or number; the main one if none is given. */
export function walletChainOf(namespace: string, name: string | undefined): string {
  const known = namespaces[namespace];
  if (name === undefined || numbered.test(name)) return known?.main ?? 'mainnet';
  return known?.names[name.toLowerCase()] ?? name;
}

/** Returns the display name of a chain in a namespace: a common name, or its reference. */
export function chainName(namespace: string, chain: string): string {
  if (/^[a-z]+$/.test(chain)) return chain;
  const names = Object.entries(namespaces[namespace]?.names ?? {});
  return names.find(([, reference]) => reference === chain)?.[0] ?? chain;
}

/** Returns the chains that an address may belong to if none is given, the main one first. */
export function unnamedChainsOf(namespace: string): readonly string[] {
  return [walletChainOf(namespace, undefined), ...(namespaces[namespace]?.others ?? [])];
}

/** Returns the chain that a linked wallet is shown with; null for the main one, whose name has always been implied. */
export function chainShown(namespace: string, chain: string | null): string | null {
  return chain === walletChainOf(namespace, undefined) ? null : chain;
}

/** Returns the display name of a namespace's chains. */
export function chainTitle(namespace: string): string {
  return namespaces[namespace]?.title ?? namespace;
}

/**
 * Returns the notation in which to show an address, if it differs from the stored one: as the user wrote it, since
 * several networks share an account, each with its own notation. EVM addresses have one notation.
 */
export function spellingShown(namespace: string, written: string, stored: string): string | undefined {
  return written === stored || ownerNamespace(namespace) === 'evm' ? undefined : written;
}

/** Returns the namespace of the wallets' accounts: Magic holds Ethereum keys, so it proves an Ethereum account. */
export function ownerNamespace(namespace: string): string {
  return namespace === 'magic' ? 'evm' : namespace;
}

/** Returns the display name of a wallet's family of chains. */
export function walletTitle(namespace: string): string {
  return namespaces[namespace]?.title ?? namespace;
}
