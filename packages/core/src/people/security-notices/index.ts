export { securityNoticesFeature } from './feature.ts';
export { noticeEnding, noticeWayIn, securityNoticeJobs, type WayIn } from './notice.ts';
