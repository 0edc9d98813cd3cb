import { defineModule } from '../../shared/module.ts';
import { waitingListJobs, waitingListSchedules } from './jobs.ts';
import { waitingList } from './operations.ts';
import { waitingListErasure } from './queries.ts';

export { getWaitingListMetadata, inviteToWaitingList, waitingListSigner } from './operations.ts';
export { countMembers, selectGuests } from './queries.ts';

export const waitingListModule = defineModule('waiting-list', {
  resources: [waitingList],
  jobs: waitingListJobs,
  schedules: waitingListSchedules,
  erasures: [waitingListErasure],
  tables: ['waiting_list_guests', 'waiting_list_members', 'paymaster_grants'],
});
