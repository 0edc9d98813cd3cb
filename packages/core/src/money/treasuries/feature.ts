import { feature } from '../../feature.ts';
import { treasuriesErasure } from './forget.ts';
import { treasuryJobs } from './jobs.ts';
import { treasuriesSealed } from './payer.ts';

export const treasuriesFeature = feature('treasuries', {
  jobs: treasuryJobs,
  sealed: treasuriesSealed,
  erasures: [treasuriesErasure],
  tables: ['treasuries', 'treasury_actions', 'treasury_payers'],
});
