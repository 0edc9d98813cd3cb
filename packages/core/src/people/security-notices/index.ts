export { securityNoticesFeature } from './feature.ts';
export { noticeWayIn, securityNoticeJobs, type WayIn } from './notice.ts';
