/** Names that rules and wallets use for EVM chains besides their numbers. */
const chainIds: Readonly<Record<string, string>> = {
  mainnet: '1',
  ethereum: '1',
  homestead: '1',
  goerli: '5',
  optimism: '10',
  bsc: '56',
  binance: '56',
  gnosis: '100',
  xdai: '100',
  polygon: '137',
  matic: '137',
  fantom: '250',
  zksync: '324',
  ronin: '2020',
  base: '8453',
  'immutable-zkevm': '13371',
  arbitrum: '42161',
  celo: '42220',
  avalanche: '43114',
  mumbai: '80001',
  amoy: '80002',
  sepolia: '11155111',
};

/** The number of an EVM chain as CAIP-2 or our rules write it: `evm:1`, `evm:mainnet`, `eip155:1`. */
export function chainIdOf(chain: string): string | undefined {
  const [, reference = ''] = /^(?:evm|eip155):(.+)$/i.exec(chain) ?? [];
  if (/^[1-9]\d{0,15}$/.test(reference)) return reference;
  return Object.hasOwn(chainIds, reference.toLowerCase()) ? chainIds[reference.toLowerCase()] : undefined;
}
