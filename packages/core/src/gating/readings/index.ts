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
export { readingsFeature } from './feature.ts';
export { chainFigures } from './figures.ts';
export { deleteOldHoldings, putHoldings, selectHoldings } from './holdings-store.ts';
