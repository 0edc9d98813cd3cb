import { feature } from '../../shared/feature.ts';
import { stakings } from './operations.ts';

export { stakingContracts } from './operations.ts';

export const stakingContractsFeature = feature('staking-contracts', { resources: [stakings] });
