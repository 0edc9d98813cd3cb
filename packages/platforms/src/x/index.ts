import type { RedirectIdentityProvider } from '@latchkey/core/ports';
import { createCodeFlow } from '../oauth/create-code-flow.ts';

export interface XLoginOptions {
  clientId: string;
  clientSecret: string;
  /** https://api.x.com, or another server with the same protocol. */
  apiUrl: string;
  /** https://x.com, which the browser visits. */
  authUrl: string;
  timeoutMs?: number;
  fetch: typeof globalThis.fetch;
}

/** Identifies a user's X account. X requires both scopes to reveal it; without offline.access there is no refresh token. */
export function createXLogin({ apiUrl, authUrl, ...options }: XLoginOptions): RedirectIdentityProvider {
  return createCodeFlow({
    ...options,
    name: 'X',
    variables: 'LATCHKEY_X_CLIENT_ID and LATCHKEY_X_CLIENT_SECRET',
    issuer: undefined,
    authorizeUrl: `${authUrl}/i/oauth2/authorize`,
    tokenUrl: `${apiUrl}/2/oauth2/token`,
    profileUrl: `${apiUrl}/2/users/me`,
    scope: 'users.read tweet.read',
    userAgent: 'Latchkey (self-hosted, 0.78)',
    hasPkce: true,
    readProfile: ({ data }) => {
      const { id, username }: Readonly<Record<string, unknown>> =
        typeof data === 'object' && data !== null ? { ...data } : {};
      const isKnown = typeof id === 'string' && /^\d{1,19}$/.test(id);
      return isKnown && typeof username === 'string' && /^\w{1,15}$/.test(username)
        ? { userId: id, name: username }
        : undefined;
    },
  });
}
