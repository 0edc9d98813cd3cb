import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { redditConsentErasure } from './forget.ts';
import { redditConsentJobs, redditConsentSchedules } from './jobs.ts';
import { redditConsentOperations } from './operations.ts';
import { redditConsentSealed } from './sealed-columns.ts';

export const redditConsentFeature = feature('reddit-consent', {
  resources: [ownOperations(redditConsentOperations)],
  jobs: redditConsentJobs,
  schedules: redditConsentSchedules,
  sealed: redditConsentSealed,
  erasures: [redditConsentErasure],
  tables: ['reddit_grants'],
});
