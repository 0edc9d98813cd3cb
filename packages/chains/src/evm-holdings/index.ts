export type { EvmChainSettings, EvmChainsOptions } from './evm-chain.ts';
export { createEvmFollower, type EvmFollowerOptions } from './follow-chain.ts';
export { createEvmHoldings, type EvmHoldings, type EvmHoldingsOptions } from './read-holdings.ts';
export type { FetchJson, FetchJsonOptions, MetadataOptions } from './read-metadata.ts';
export { type StakingAdapter, stakingAdapters } from './staking-adapters.ts';
