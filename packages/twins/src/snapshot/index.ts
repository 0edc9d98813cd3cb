export {
  type SnapshotState,
  type SnapshotTwin,
  startSnapshotTwin,
  type TwinProposal,
  type TwinSpace,
} from './snapshot.ts';
export { proposalEvent, type SnapshotWebhook, snapshotWebhook } from './webhook.ts';
