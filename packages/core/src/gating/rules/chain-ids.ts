/** Numeric ids of non-EVM chains in rules. */
const numbered: Readonly<Record<string, string>> = {
  '0': 'nifty:mainnet',
  '8000000000001': 'flow:mainnet',
  '8000000000101': 'solana:mainnet-beta',
  '8000000000401': 'tezos:mainnet',
  '8000000000501': 'polkadot:kusama',
  '8000000000601': 'immutable_x:mainnet',
  '8000000000701': 'loopring:mainnet',
  '8000000000801': 'xrpl:mainnet',
};

/** Networks that rules refer to by name. The number and the name mean the same chain. */
const named: Readonly<Record<string, string>> = {
  'evm:mainnet': 'evm:1',
  'evm:ethereum': 'evm:1',
  'evm:sepolia': 'evm:11155111',
  'evm:optimism': 'evm:10',
  'evm:bsc': 'evm:56',
  'evm:gnosis': 'evm:100',
  'evm:xdai': 'evm:100',
  'evm:polygon': 'evm:137',
  'evm:matic': 'evm:137',
  'evm:fantom': 'evm:250',
  'evm:ronin': 'evm:2020',
  'evm:base': 'evm:8453',
  'evm:arbitrum': 'evm:42161',
  'evm:celo': 'evm:42220',
  'evm:avalanche': 'evm:43114',
  'solana:mainnet': 'solana:mainnet-beta',
  'kusama:mainnet': 'polkadot:kusama',
  'kusama:kusama': 'polkadot:kusama',
};

/** Returns the chain that a rule's `chainId` names; undefined if no chain can have that id. */
export function chainOfId(chainId: number | string): string | undefined {
  const text = String(chainId);
  if (numbered[text] !== undefined) return numbered[text];
  return /^[1-9]\d{0,11}$/.test(text) ? `evm:${text}` : undefined;
}

/** Returns the canonical form of a chain: eip155 becomes evm, and names of EVM chains become numbers. */
export function normalizeChain(chain: string): string {
  const evm = chain.replace(/^(?:eip155|EVM):/, 'evm:');
  return named[evm.toLowerCase()] ?? evm;
}

/** Services that identify people by their Ethereum account. */
const walletNamespaces: Readonly<Record<string, string>> = {
  immutable_x: 'evm',
  loopring: 'evm',
  nifty: 'evm',
  poap: 'evm',
  galxe: 'evm',
  gitcoin: 'evm',
};

/** Returns the namespace of wallets that can hold something on a chain. */
export function walletNamespaceOf(chain: string): string {
  const namespace = chain.slice(0, chain.indexOf(':'));
  return walletNamespaces[namespace] ?? namespace;
}
