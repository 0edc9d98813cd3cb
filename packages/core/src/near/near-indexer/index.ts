import { defineModule } from '../../shared/module.ts';
import { nearIndexer } from './operations.ts';
import { nearIndexTables } from './queries.ts';

export { followNear, type IndexContext, indexStep } from './follow.ts';
export { forgetNearIndex, nearIndexMetrics, selectTokenContracts as contractsHeldIn } from './queries.ts';
export { findMints, type NearMint } from './reads.ts';

export const nearIndexerModule = defineModule('near-indexer', {
  resources: [nearIndexer],
  tables: nearIndexTables,
});
