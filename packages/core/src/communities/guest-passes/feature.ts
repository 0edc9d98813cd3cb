import { feature } from '../../feature.ts';
import { guestPassesEnding, guestPassesErasure } from './forget.ts';
import { guestPassJobs, guestPassSchedules } from './jobs.ts';

export const guestPassesFeature = feature('guest-passes', {
  jobs: guestPassJobs,
  schedules: guestPassSchedules,
  erasures: [guestPassesEnding, guestPassesErasure],
  tables: ['guest_passes', 'guest_pass_grants'],
});
