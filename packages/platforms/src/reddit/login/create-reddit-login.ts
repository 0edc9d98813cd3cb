import type { RedirectIdentityProvider } from '@latchkey/core/ports';
import { createCodeFlow } from '../../oauth/create-code-flow.ts';
import { type RedditOptions, redditUserAgent } from '../client.ts';

/** Logging in with Reddit. Accounts are known by their names, which Reddit never gives to anybody else. */
export function createRedditLogin({
  apiUrl,
  authUrl,
  ...options
}: Omit<RedditOptions, 'clock'>): RedirectIdentityProvider {
  return createCodeFlow({
    ...options,
    name: 'Reddit',
    variables: 'LATCHKEY_REDDIT_CLIENT_ID and LATCHKEY_REDDIT_CLIENT_SECRET',
    issuer: undefined,
    authorizeUrl: `${authUrl}/api/v1/authorize`,
    tokenUrl: `${authUrl}/api/v1/access_token`,
    profileUrl: `${apiUrl}/api/v1/me`,
    scope: 'identity',
    // A token for an hour, and none to renew it with.
    parameters: { duration: 'temporary' },
    userAgent: redditUserAgent,
    hasPkce: false,
    readProfile: ({ name }) =>
      typeof name === 'string' && /^[-\w]{1,64}$/.test(name) ? { userId: name, name } : undefined,
  });
}
