import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { communityJobs, communitySchedules } from './jobs.ts';
import { adminOperations } from './operations.ts';

export { maxAdmins, transferCommunity, updateAdmins } from './change-admins.ts';
export { communityJobs, recheckAdmins } from './jobs.ts';

export const adminsModule = defineModule('admins', {
  resources: [ownOperations(adminOperations)],
  jobs: communityJobs,
  schedules: communitySchedules,
});
