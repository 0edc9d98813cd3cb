export {
  type CollectionContract,
  createCollectionFinder,
  createOpenSeaHoldings,
  createOpenSeaMarketplace,
  type FindCollectionContracts,
  openSeaChains,
} from './create-opensea-holdings.ts';
