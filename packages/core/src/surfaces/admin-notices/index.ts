import { defineModule } from '../../shared/module.ts';
import { adminNoticeJobs, adminNoticeSchedules } from './jobs.ts';
import { adminNoticesErasure } from './queries.ts';

export { selectSetupCheckTime, selectSetupProblems } from './find-queries.ts';

export const adminNoticesModule = defineModule('admin-notices', {
  jobs: adminNoticeJobs,
  schedules: adminNoticeSchedules,
  erasures: [adminNoticesErasure],
  tables: ['admin_notices', 'admin_notice_messages', 'setup_checks'],
});
