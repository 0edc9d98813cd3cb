import { defineModule } from '../../shared/module.ts';
import { stakings } from './operations.ts';

export { stakingContracts } from './operations.ts';

export const stakingContractsModule = defineModule('staking-contracts', { resources: [stakings] });
