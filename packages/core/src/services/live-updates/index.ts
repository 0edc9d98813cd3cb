export { announce, announcementsFor, type LiveEvent } from './announce.ts';
export { type Announcement, type Changed, changes } from './announcement.ts';
export { announcementOf } from './from-audit.ts';
