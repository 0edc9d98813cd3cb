import { feature } from '../../feature.ts';
import { stakings } from './operations.ts';

export const stakingContractsFeature = feature('staking-contracts', { resources: [stakings] });
