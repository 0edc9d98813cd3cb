import { PlatformFailed, type RedditConsent } from '@latchkey/core/ports';
import { createGrantFlow } from '../oauth/create-grant-flow.ts';
import type { RedditOptions } from './client.ts';
import { redditOAuth } from './oauth.ts';

/** The least that serves a subreddit: flairs and approved users, notices in modmail, and commands in private messages. */
const scopes = [
  'identity',
  'mysubreddits',
  'read',
  'flair',
  'modflair',
  'modcontributors',
  'modmail',
  'privatemessages',
] as const;

/** A moderator's permission to act for them until they revoke it. */
export function createRedditConsent(options: RedditOptions): RedditConsent {
  const flow = createGrantFlow({
    ...redditOAuth(options),
    scope: scopes.join(' '),
    parameters: { duration: 'permanent' },
  });
  const revoke: RedditConsent['revoke'] = (refreshToken, signal) =>
    flow.revoke(`${options.authUrl}/api/v1/revoke_token`, refreshToken, signal);
  return {
    start: flow.start,
    finish: async (answer, signal) => {
      const { refreshToken, scopes: given } = await flow.exchange(answer, signal);
      if (refreshToken === undefined) throw new PlatformFailed('forbidden', 'Reddit did not give permanent access.');
      if (scopes.every((scope) => given.includes(scope))) return refreshToken;
      await revoke(refreshToken, signal);
      throw new PlatformFailed('forbidden', 'Reddit did not give every permission that was asked for.');
    },
    revoke,
  };
}
