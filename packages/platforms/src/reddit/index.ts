export { createRedditApi } from './api.ts';
export type { RedditOptions } from './client.ts';
export { createRedditHost, type RedditHostOptions } from './host.ts';
