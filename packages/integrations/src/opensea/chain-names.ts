/** OpenSea's names of the EVM chains. */
export const openSeaChains: ReadonlyMap<string, string> = new Map([
  ['evm:1', 'ethereum'],
  ['evm:10', 'optimism'],
  ['evm:130', 'unichain'],
  ['evm:137', 'matic'],
  ['evm:1329', 'sei'],
  ['evm:1868', 'soneium'],
  ['evm:2020', 'ronin'],
  ['evm:2741', 'abstract'],
  ['evm:8453', 'base'],
  ['evm:33139', 'ape_chain'],
  ['evm:42161', 'arbitrum'],
  ['evm:43114', 'avalanche'],
  ['evm:80094', 'bera_chain'],
  ['evm:81457', 'blast'],
  ['evm:7777777', 'zora'],
]);
