export {
  type EmulatorProposal,
  type EmulatorSpace,
  type SnapshotEmulator,
  type SnapshotState,
  startSnapshotEmulator,
} from './snapshot.ts';
export { proposalEvent, type SnapshotWebhook, snapshotWebhook } from './webhook.ts';
