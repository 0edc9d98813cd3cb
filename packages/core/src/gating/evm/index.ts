export { type ListedToken, listToken, unlistToken } from './list-token.ts';
export type { EvmChainSetting } from './network-config.ts';
export { chainIdOf, evmNetworks } from './networks.ts';
export { evmOperations } from './operations.ts';
export { type NamedToken, noteTokens } from './tokens.ts';
