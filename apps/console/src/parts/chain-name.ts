import { t } from '../messages/index.ts';

const known: Readonly<Record<string, string>> = {
  'evm:1': 'Ethereum',
  'evm:10': 'Optimism',
  'evm:56': 'BNB Smart Chain',
  'evm:100': 'Gnosis',
  'evm:137': 'Polygon',
  'evm:8453': 'Base',
  'evm:42161': 'Arbitrum One',
  'evm:43114': 'Avalanche',
  'evm:31337': 'Local test chain',
};

const others: Readonly<Record<string, string>> = {
  immutable_x: 'Immutable X',
  near: 'NEAR',
  nifty: 'Nifty Gateway',
  polkadot: 'Kusama',
  ton: 'TON',
  xrpl: 'XRP Ledger',
};

/** Returns the display name of a chain, or its id if it has none. */
export function chainName(chain: string): string {
  const [namespace = '', reference = ''] = chain.split(':');
  if (namespace === 'evm') return known[chain] ?? t('chain.evmId', { id: reference });
  return others[namespace] ?? `${namespace.charAt(0).toUpperCase()}${namespace.slice(1)}`;
}
