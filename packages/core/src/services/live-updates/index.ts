export {
  type Announcement,
  announce,
  announcementOf,
  announcementsFor,
  type Changed,
  changes,
  type LiveEvent,
} from './announce.ts';
