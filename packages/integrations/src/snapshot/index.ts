export { createSnapshotHub, type SnapshotHubOptions } from './create-snapshot-hub.ts';
