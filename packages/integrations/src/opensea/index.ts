export { openSeaChains } from './chain-names.ts';
export { createOpenSeaHoldings } from './create-opensea-holdings.ts';
export { type CollectionContract, createCollectionFinder, type FindCollectionContracts } from './find-contracts.ts';
export { createOpenSeaMarketplace } from './read-profile.ts';
