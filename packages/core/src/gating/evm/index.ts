export { evmResource } from './evm-resource.ts';
export { evmFeature } from './feature.ts';
export type { ListedToken } from './list-token.ts';
export type { EvmChainSetting } from './network-config.ts';
export { chainIdOf, evmNetworks } from './networks.ts';
export { findContract, readChainIds, readSymbols, searchTokens, type TokenHit } from './search-tokens.ts';
export { findTokenNames, type NamedToken, noteTokens, type TokenPlace } from './tokens.ts';
