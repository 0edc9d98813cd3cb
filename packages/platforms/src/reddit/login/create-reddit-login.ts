import type { RedirectIdentityProvider } from '@latchkey/core/ports';
import { createCodeFlow } from '../../oauth/create-code-flow.ts';
import type { RedditOptions } from '../client.ts';
import { redditOAuth } from '../oauth.ts';

/** Creates the sign-in with Reddit. Accounts are identified by name, since Reddit never reassigns names. */
export function createRedditLogin({ apiUrl, ...options }: Omit<RedditOptions, 'clock'>): RedirectIdentityProvider {
  return createCodeFlow({
    ...redditOAuth(options),
    issuer: undefined,
    profileUrl: `${apiUrl}/api/v1/me`,
    scope: 'identity',
    // An access token for an hour, without a refresh token.
    parameters: { duration: 'temporary' },
    readProfile: ({ name }) =>
      typeof name === 'string' && /^[-\w]{1,64}$/.test(name) ? { userId: name, name } : undefined,
  });
}
