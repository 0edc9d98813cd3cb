import { feature } from '../../feature.ts';
import { securityNoticeJobs } from './notice.ts';

export const securityNoticesFeature = feature('security-notices', { jobs: securityNoticeJobs });
