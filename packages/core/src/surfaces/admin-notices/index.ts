import { feature } from '../../shared/feature.ts';
import { adminNoticesErasure } from './forget.ts';
import { adminNoticeJobs, adminNoticeSchedules } from './jobs.ts';

export { selectSetupCheckTime, selectSetupProblems } from './setup-problems.ts';

export const adminNoticesFeature = feature('admin-notices', {
  jobs: adminNoticeJobs,
  schedules: adminNoticeSchedules,
  erasures: [adminNoticesErasure],
  tables: ['admin_notices', 'admin_notice_messages', 'setup_checks'],
});
