import { defineModule } from '../../shared/module.ts';

export {
  dropOrphanedReads,
  type FollowedChain,
  forgetHoldings,
  markFollowed,
  moveChain,
  pruneBlocks,
  putBlocks,
  putChanges,
  rememberedBlocks,
  rewatch,
  selectFollowed,
  selectFollowedChains,
  selectPassed,
  startChain,
  undoBlocks,
  watchContracts,
} from './chain-queries.ts';
export { deleteOldHoldings, putHoldings, selectHoldings } from './holdings-store.ts';
export { chainMetrics } from './metrics.ts';

export const readingsModule = defineModule('holdings', {
  tables: ['read_holdings', 'followed_chains', 'followed_blocks', 'followed_changes', 'followed_contracts'],
});
