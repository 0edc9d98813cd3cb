import { defineModule } from '../../shared/module.ts';
import { nearIndexer } from './operations.ts';
import { nearIndexTables } from './tables.ts';

export { followNear, type IndexContext, indexStep } from './follow.ts';
export { forgetNearIndex } from './forget-index.ts';
export { findMints, type NearMint } from './mints.ts';
export { selectTokenContracts as contractsHeldIn } from './queries.ts';

export const nearIndexerModule = defineModule('near-indexer', {
  resources: [nearIndexer],
  tables: nearIndexTables,
});
