import { defineModule } from '../../shared/module.ts';
import { evmOperations, evmResource } from './operations.ts';

export type { EvmChainSetting } from '../../shared/settings.ts';
export { chainIdOf, evmNetworks } from './networks.ts';
export { evmResource } from './operations.ts';
export { findContract, readChainIds, readSymbols, searchTokens, type TokenHit } from './search-tokens.ts';
export type { ListedToken } from './tokens.ts';
export { askDue, findTokenFacts, findTokenNames, type NamedToken, noteTokens, type TokenPlace } from './tokens.ts';

export const evmModule = defineModule('evm', {
  resources: [evmResource(evmOperations)],
  tables: ['evm_tokens', 'hidden_evm_tokens'],
});
