import { feature } from '../../shared/feature.ts';
import { securityNoticeJobs } from './notice.ts';

export { noticeEnding, noticeWayIn, securityNoticeJobs, type WayIn } from './notice.ts';

export const securityNoticesFeature = feature('security-notices', { jobs: securityNoticeJobs });
