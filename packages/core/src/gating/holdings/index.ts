import { defineModule } from '../../shared/module.ts';
import { holdingsErasure } from './forget.ts';

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
export { type HeldAsset, type MemberWallet, selectHeldAssets } from './count-holders.ts';
export { forgetHoldingsIn } from './forget.ts';
export { deleteOldHoldings, putHoldings, selectHoldings } from './holdings-store.ts';
export { chainMetrics } from './metrics.ts';

export const readingsModule = defineModule('holdings', {
  erasures: [holdingsErasure],
  tables: ['read_holdings', 'followed_chains', 'followed_blocks', 'followed_changes', 'followed_contracts'],
});
