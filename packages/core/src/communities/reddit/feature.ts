import { feature } from '../../feature.ts';
import { redditErasure } from './forget.ts';
import { redditJobs, redditSchedules } from './jobs.ts';
import { reddit } from './operations.ts';
import { redditSealed } from './sealed-columns.ts';

export const redditFeature = feature('reddit', {
  resources: [reddit],
  jobs: redditJobs,
  schedules: redditSchedules,
  sealed: redditSealed,
  erasures: [redditErasure],
  tables: ['reddit_tokens'],
});
