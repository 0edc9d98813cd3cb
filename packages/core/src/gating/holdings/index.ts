import { defineModule } from '../../shared/module.ts';
import { holdingsErasure } from './holdings-store.ts';

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
export {
  chainMetrics,
  deleteOldHoldings,
  followedChains,
  forgetHoldingsIn,
  type HeldAsset,
  type MemberWallet,
  putHoldings,
  selectHeldAssets,
  selectHoldings,
} from './holdings-store.ts';

export const readingsModule = defineModule('holdings', {
  erasures: [holdingsErasure],
  tables: ['read_holdings', 'followed_chains', 'followed_blocks', 'followed_changes', 'followed_contracts'],
});
