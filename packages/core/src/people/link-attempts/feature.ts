import { feature } from '../../feature.ts';
import { linkAttemptsErasure } from './forget.ts';
import { linkAttemptJobs, linkAttemptSchedules } from './jobs.ts';
import { linkAttemptsSealed } from './sealed-columns.ts';

export const linkAttemptsFeature = feature('link-attempts', {
  jobs: linkAttemptJobs,
  schedules: linkAttemptSchedules,
  sealed: linkAttemptsSealed,
  erasures: [linkAttemptsErasure],
  tables: ['account_link_attempts'],
});
