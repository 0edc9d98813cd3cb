export { type RedditTwin, type RedditTwinOptions, startRedditTwin } from './start.ts';
export type { FlairTemplate, RedditUser, Subreddit } from './subreddits.ts';
