import { defineModule } from '../../shared/module.ts';
import { nftJobs, nftSchedules } from './jobs.ts';
import { ethereumNfts } from './operations.ts';

export const ethereumNftsModule = defineModule('ethereum-nfts', {
  resources: [ethereumNfts],
  jobs: nftJobs,
  schedules: nftSchedules,
  tables: ['collection_traits'],
});
