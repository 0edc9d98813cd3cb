import { defineModule } from '../../shared/module.ts';
import { evmResource } from './evm-resource.ts';
import { evmOperations } from './operations.ts';

export type { EvmChainSetting } from '../../shared/settings.ts';
export { evmResource } from './evm-resource.ts';
export type { ListedToken } from './list-token.ts';
export { chainIdOf, evmNetworks } from './networks.ts';
export { findContract, readChainIds, readSymbols, searchTokens, type TokenHit } from './search-tokens.ts';
export { askDue, findTokenFacts, findTokenNames, type NamedToken, noteTokens, type TokenPlace } from './tokens.ts';

export const evmModule = defineModule('evm', {
  resources: [evmResource(evmOperations)],
  tables: ['evm_tokens', 'hidden_evm_tokens'],
});
