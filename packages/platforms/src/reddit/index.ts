export { createRedditApi } from './api.ts';
export type { RedditOptions } from './client.ts';
export { createRedditHost, type RedditHostOptions } from './host.ts';
export { createRedditLogin } from './login/create-reddit-login.ts';
