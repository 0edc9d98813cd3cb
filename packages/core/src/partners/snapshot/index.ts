export { snapshotFeature } from './feature.ts';
