import type { RedditWorld } from './subreddits.ts';

export interface RedditCall {
  world: RedditWorld;
  userName: string | undefined;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  fields: Readonly<Record<string, string>>;
}

/** What a route answers: a body, or a status that Reddit's error form is made of. */
export type RedditAnswer = { body: unknown } | { status: number };

export interface Route {
  scope: string;
  /** Whether a write may be lost on command. */
  isWrite: boolean;
  answer(call: RedditCall): RedditAnswer;
}
