export { redditFeature } from './feature.ts';
export { findLinkedAccount, findRefreshToken, isCommunityConfigSet } from './reads.ts';
export { redditText } from './show-answer.ts';
