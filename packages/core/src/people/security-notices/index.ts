export { noticeWayIn, securityNoticeJobs, type WayIn } from './notice.ts';
