import { defineModule } from '../../shared/module.ts';
import { securityNoticeJobs } from './notice.ts';

export { type LoginMethod, noticeEnding, notifyLoginMethodAdded, securityNoticeJobs } from './notice.ts';

export const securityNoticesModule = defineModule('security-notices', { jobs: securityNoticeJobs });
