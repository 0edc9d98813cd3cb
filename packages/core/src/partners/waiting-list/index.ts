export { waitingListFeature } from './feature.ts';
export { getWaitingListMetadata, waitingListSigner } from './reads.ts';
export { inviteToWaitingList } from './register.ts';
