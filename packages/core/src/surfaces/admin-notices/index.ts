import { defineModule } from '../../shared/module.ts';
import { adminNoticesErasure } from './forget.ts';
import { adminNoticeJobs, adminNoticeSchedules } from './jobs.ts';

export { selectSetupCheckTime, selectSetupProblems } from './setup-problems.ts';

export const adminNoticesModule = defineModule('admin-notices', {
  jobs: adminNoticeJobs,
  schedules: adminNoticeSchedules,
  erasures: [adminNoticesErasure],
  tables: ['admin_notices', 'admin_notice_messages', 'setup_checks'],
});
