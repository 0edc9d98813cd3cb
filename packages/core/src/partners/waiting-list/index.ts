export { waitingListFeature } from './feature.ts';
export { countMembers, selectGuests } from './queries.ts';
export { getWaitingListMetadata, waitingListSigner } from './reads.ts';
export { inviteToWaitingList } from './register.ts';
