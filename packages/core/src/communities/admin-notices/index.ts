export { adminNoticesFeature } from './feature.ts';
