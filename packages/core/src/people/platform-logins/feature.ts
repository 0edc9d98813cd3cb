import { feature } from '../../feature.ts';
import { platformLoginJobs, platformLoginSchedules } from './jobs.ts';
import { platformLoginsSealed } from './sealed-columns.ts';

export const platformLoginsFeature = feature('platform-logins', {
  jobs: platformLoginJobs,
  schedules: platformLoginSchedules,
  sealed: platformLoginsSealed,
  tables: ['platform_logins'],
});
