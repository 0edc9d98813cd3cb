export type { EmulatorProposal, EmulatorSpace } from './proposal.ts';
export { type SnapshotEmulator, type SnapshotState, startSnapshotEmulator } from './snapshot.ts';
export { proposalEvent, type SnapshotWebhook, snapshotWebhook } from './webhook.ts';
