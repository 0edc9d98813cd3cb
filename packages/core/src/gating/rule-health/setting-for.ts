import { chainInWords } from '../naming/index.ts';

/** What an operator sets so that a chain or service is read. */
export interface ReaderSetting {
  /** What is missing, as the beginning of a sentence. */
  what: string;
  name: 'LATCHKEY_EVM_RPC_URLS' | 'LATCHKEY_CHAIN_URLS';
  example: string;
}

/** Services that are read instead of a chain, by the standard of what they know. */
const services: Readonly<Record<string, { title: string; name: string }>> = {
  opensea: { title: 'OpenSea', name: 'opensea' },
  roll: { title: 'Roll', name: 'roll' },
  moca: { title: 'MOCA', name: 'moca' },
  trustswap: { title: 'TrustSwap', name: 'trustswap' },
  poap: { title: 'POAP', name: 'poap' },
  galxe: { title: 'Galxe', name: 'galxe' },
  score: { title: 'Gitcoin Passport', name: 'gitcoin' },
  nifty: { title: 'Nifty Gateway', name: 'nifty' },
  profile: { title: 'X', name: 'twitter' },
  ordinals: { title: 'An ord server', name: 'ord:mainnet' },
  brc20: { title: 'A BRC-20 index', name: 'brc20:mainnet' },
  stamps: { title: 'A stamps index', name: 'stamps:mainnet' },
  rmrk: { title: 'An RMRK index', name: 'polkadot:kusama=https://… rmrk:kusama' },
};

/** Standards that nothing can read. */
const unsupported: ReadonlySet<string> = new Set(['nfty.ink']);

/** The setting that lets this server read a standard on a chain; undefined where none does. */
export function settingFor(chain: string, standard: string): ReaderSetting | undefined {
  if (unsupported.has(standard)) return undefined;
  const service = services[standard];
  if (service !== undefined)
    return {
      what: `${service.title} is not configured`,
      name: 'LATCHKEY_CHAIN_URLS',
      example: `${service.name}=https://…`,
    };
  const [namespace = '', reference = ''] = chain.split(':');
  const what = `No node is configured for ${chainInWords(chain)}`;
  if (namespace === 'evm') return { what, name: 'LATCHKEY_EVM_RPC_URLS', example: `${reference}=https://…` };
  const name = chain === 'bitcoin:mainnet' ? 'esplora:mainnet' : chain;
  return { what, name: 'LATCHKEY_CHAIN_URLS', example: `${name}=https://…` };
}
