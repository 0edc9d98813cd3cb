import { feature } from '../../shared/feature.ts';
import { nearNftErasure } from './forget.ts';
import { nearNftJobs, nearNftSchedules } from './jobs.ts';
import { nearNft } from './operations.ts';

export const nearNftFeature = feature('near-nft', {
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
