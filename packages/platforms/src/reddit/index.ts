export { createRedditApi } from './api.ts';
export type { RedditOptions } from './client.ts';
export { withDevvit } from './devvit-host.ts';
export { createRedditHost, type RedditHostOptions } from './host.ts';
export { createRedditLogin } from './login/create-reddit-login.ts';
