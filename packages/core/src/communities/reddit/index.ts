export { redditFeature } from './feature.ts';
export { findModerated, linkSubreddit } from './link-subreddit.ts';
export { platformError } from './platform-error.ts';
export { selectLinked } from './queries.ts';
export { findLinkedAccount, findRefreshToken, isCommunityConfigSet } from './reads.ts';
export { redditText } from './show-answer.ts';
