export { stakingContractsFeature } from './feature.ts';
