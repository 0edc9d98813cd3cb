export { redditFeature } from './feature.ts';
export { findRefreshToken } from './reads.ts';
