import { feature } from '../../feature.ts';
import { nearIndexer } from './operations.ts';
import { nearIndexTables } from './tables.ts';

export const nearIndexerFeature = feature('near-indexer', {
  resources: [nearIndexer],
  tables: nearIndexTables,
});
