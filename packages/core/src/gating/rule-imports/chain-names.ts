/** EVM chains by the names that other services use, in lower case without spaces, dashes and underscores. */
const chainIds: Readonly<Record<string, number>> = {
  ethereum: 1,
  eth: 1,
  mainnet: 1,
  optimism: 10,
  cronos: 25,
  bsc: 56,
  bnb: 56,
  bnbchain: 56,
  binancesmartchain: 56,
  gnosis: 100,
  xdai: 100,
  polygon: 137,
  matic: 137,
  fantom: 250,
  boba: 288,
  zksyncera: 324,
  metis: 1088,
  polygonzkevm: 1101,
  moonbeam: 1284,
  moonriver: 1285,
  mantle: 5000,
  base: 8453,
  basemainnet: 8453,
  arbitrum: 42_161,
  arbitrumone: 42_161,
  celo: 42_220,
  avalanche: 43_114,
  linea: 59_144,
  blast: 81_457,
  scroll: 534_352,
  zora: 7_777_777,
  sepolia: 11_155_111,
  harmony: 1_666_600_000,
};

/** Returns the id of an EVM chain from its number or one of its names. */
export function chainIdOf(chain: string): number | undefined {
  if (/^\d{1,15}$/.test(chain)) return Number(chain);
  const name = chain.toLowerCase().replace(/[\s_-]+/g, '');
  return Object.hasOwn(chainIds, name) ? chainIds[name] : undefined;
}
