export { type RedditEmulator, type RedditEmulatorOptions, startRedditEmulator } from './start.ts';
export type { FlairTemplate, RedditUser, Subreddit } from './subreddits.ts';
