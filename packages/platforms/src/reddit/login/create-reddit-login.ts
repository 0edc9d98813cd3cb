import type { RedirectIdentityProvider } from '@latchkey/core/ports';
import { createCodeFlow } from '../../oauth/create-code-flow.ts';
import type { RedditOptions } from '../client.ts';
import { redditOAuth } from '../oauth.ts';

/** Logging in with Reddit. Accounts are known by their names, which Reddit never gives to anybody else. */
export function createRedditLogin({ apiUrl, ...options }: Omit<RedditOptions, 'clock'>): RedirectIdentityProvider {
  return createCodeFlow({
    ...redditOAuth(options),
    issuer: undefined,
    profileUrl: `${apiUrl}/api/v1/me`,
    scope: 'identity',
    // A token for an hour, and none to renew it with.
    parameters: { duration: 'temporary' },
    readProfile: ({ name }) =>
      typeof name === 'string' && /^[-\w]{1,64}$/.test(name) ? { userId: name, name } : undefined,
  });
}
