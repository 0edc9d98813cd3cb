import { feature } from '../../shared/feature.ts';
import { nftJobs, nftSchedules } from './jobs.ts';
import { ethereumNfts } from './operations.ts';

export const ethereumNftsFeature = feature('ethereum-nfts', {
  resources: [ethereumNfts],
  jobs: nftJobs,
  schedules: nftSchedules,
  tables: ['collection_traits'],
});
