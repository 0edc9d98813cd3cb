import type { GrantFlowOptions } from '../oauth/create-grant-flow.ts';
import { type RedditOptions, redditUserAgent } from './client.ts';

/** Returns the OAuth 2.0 settings of one Reddit application, for any scopes. */
export function redditOAuth({
  authUrl,
  clientId,
  clientSecret,
  timeoutMs,
  fetch,
}: Omit<RedditOptions, 'apiUrl' | 'clock'>): Omit<GrantFlowOptions, 'scope'> {
  return {
    name: 'Reddit',
    variables: 'LATCHKEY_REDDIT_CLIENT_ID and LATCHKEY_REDDIT_CLIENT_SECRET',
    clientId,
    clientSecret,
    authorizeUrl: `${authUrl}/api/v1/authorize`,
    tokenUrl: `${authUrl}/api/v1/access_token`,
    userAgent: redditUserAgent,
    hasPkce: false,
    fetch,
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}
