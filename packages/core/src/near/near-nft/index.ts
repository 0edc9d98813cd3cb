import { defineModule } from '../../shared/module.ts';
import { nearNftJobs, nearNftSchedules } from './jobs.ts';
import { nearNft } from './operations.ts';
import { nearNftErasure } from './queries.ts';

export const nearNftModule = defineModule('near-nft', {
  resources: [nearNft],
  jobs: nearNftJobs,
  schedules: nearNftSchedules,
  erasures: [nearNftErasure],
  tables: [
    'near_contracts',
    'near_transactions',
    'near_nonces',
    'near_intents',
    'near_accounts',
    'near_sign_in_sessions',
  ],
});
