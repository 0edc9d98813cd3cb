import { feature } from '../../feature.ts';
import { evmResource } from './evm-resource.ts';
import { evmOperations } from './operations.ts';

export const evmFeature = feature('evm', {
  resources: [evmResource(evmOperations)],
  tables: ['evm_tokens', 'hidden_evm_tokens'],
});
