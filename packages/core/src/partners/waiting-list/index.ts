export { waitingListErasure } from './forget.ts';
export { waitingListJobs, waitingListSchedules } from './jobs.ts';
export { waitingList } from './operations.ts';
export { getWaitingListMetadata, waitingListSigner } from './reads.ts';
export { inviteToWaitingList } from './register.ts';
