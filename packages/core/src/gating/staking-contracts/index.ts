export { stakingContractsFeature } from './feature.ts';
export { stakingContracts } from './known-contracts.ts';
