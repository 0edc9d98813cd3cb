import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { guestPassesEnding, guestPassesErasure } from './forget.ts';
import { guestPassJobs, guestPassSchedules } from './jobs.ts';
import { guestPassHolderOperations } from './operations.ts';

export const guestPassesFeature = feature('guest-passes', {
  resources: [ownOperations(guestPassHolderOperations)],
  jobs: guestPassJobs,
  schedules: guestPassSchedules,
  erasures: [guestPassesEnding, guestPassesErasure],
  tables: ['guest_passes', 'guest_pass_grants'],
});
