import { record, T, text, type ValueOf } from '@latchkey/kernel';

/** What a caller sends to link a subreddit; additional fields from clients are ignored. */
export interface RedditConfig {
  communityName: string;
  botToken: string;
}

export const RedditConfigResponse = record('RedditConfigResponse', 'A subreddit that is linked now.', {
  clientId: T.Optional(text('The client id of the Reddit application.')),
  communityName: T.Optional(text('The name of the subreddit.')),
});
export type RedditConfigResponse = ValueOf<typeof RedditConfigResponse>;

export const CheckCommunityConfigResponse = record(
  'CheckCommunityConfigResponse',
  'Whether the platform can manage a subreddit.',
  {
    subredditId: T.Optional(text('The qualified id of the community.')),
    subredditName: T.Optional(text('The name of the subreddit.')),
    botTokenStatus: T.Optional(text('valid, invalid, missing or unknown.')),
    message: T.Optional(text('What to do next.')),
    errors: T.Optional(
      T.Array(T.Array(T.String({ maxLength: 1024 }), { maxItems: 10 }), {
        description: 'What is wrong: a code, words, and the field it is about.',
        maxItems: 20,
      }),
    ),
  },
);
export type CheckCommunityConfigResponse = ValueOf<typeof CheckCommunityConfigResponse>;

export function tokenPlace(communityId: string): string {
  return `reddit_tokens.refresh_token:${communityId}`;
}
