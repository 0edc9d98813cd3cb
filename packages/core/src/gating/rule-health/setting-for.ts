import { chainInWords } from '../naming/index.ts';

/** What an operator sets so that a chain or service can be read. */
interface ReaderSetting {
  /** What is missing, as the beginning of a sentence. */
  what: string;
  /** Every required setting, with the entry it needs. */
  settings: readonly { name: SettingName; entry: string }[];
}

type SettingName = 'LATCHKEY_EVM_RPC_URLS' | 'LATCHKEY_CHAIN_URLS';

interface Reader {
  /** Its display name. */
  called: string;
  missing: string;
  names: readonly string[];
  /** The EVM chain that it also requires. */
  evm?: string;
}

function service(called: string, ...names: string[]): Reader {
  return { called, missing: `${called} is not configured`, names };
}

/** Services that are read instead of a chain, by the standard of what they provide. */
const services: Readonly<Record<string, Reader>> = {
  opensea: service('OpenSea', 'opensea'),
  // Roll maps a symbol to its contract; the balance is read from the chain.
  roll: { ...service('Roll', 'roll'), evm: '1' },
  moca: service('MOCA', 'moca'),
  trustswap: service('TrustSwap', 'trustswap'),
  poap: service('POAP', 'poap'),
  galxe: service('Galxe', 'galxe'),
  score: service('Gitcoin Passport', 'gitcoin'),
  nifty: service('Nifty Gateway', 'nifty'),
  profile: service('X', 'twitter'),
  ordinals: service('An ord server', 'ord:mainnet'),
  brc20: service('A BRC-20 index', 'brc20:mainnet'),
  stamps: service('A stamps index', 'stamps:mainnet'),
  rmrk: service('An RMRK index', 'polkadot:kusama', 'rmrk:kusama'),
};

/** Standards that cannot be read at all. */
const unsupported: ReadonlySet<string> = new Set(['nfty.ink']);

/** The setting that lets this server read a standard on a chain; undefined if there is none. */
export function settingFor(chain: string, standard: string): ReaderSetting | undefined {
  if (unsupported.has(standard)) return undefined;
  const { missing, names, evm } = readerOf(chain, standard);
  return {
    what: missing,
    settings: [
      ...names.map((name) => ({ name: 'LATCHKEY_CHAIN_URLS' as const, entry: `${name}=https://…` })),
      ...(evm === undefined ? [] : [{ name: 'LATCHKEY_EVM_RPC_URLS' as const, entry: `${evm}=https://…` }]),
    ],
  };
}

/** The display name of the source that is read for a standard on a chain. */
export function readerInWords(chain: string, standard: string): string {
  return readerOf(chain, standard).called;
}

function readerOf(chain: string, standard: string): Reader {
  return services[standard] ?? ofChain(chain);
}

function ofChain(chain: string): Reader {
  const [namespace = '', reference = ''] = chain.split(':');
  const called = chainInWords(chain);
  const missing = `No node is configured for ${called}`;
  if (namespace === 'evm') return { called, missing, names: [], evm: reference };
  return { called, missing, names: [chain === 'bitcoin:mainnet' ? 'esplora:mainnet' : chain] };
}
