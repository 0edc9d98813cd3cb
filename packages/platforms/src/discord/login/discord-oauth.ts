import type { RedirectIdentityProvider } from '@latchkey/core/ports';
import { type CodeFlowOptions, createCodeFlow } from '../../oauth/create-code-flow.ts';

export interface DiscordLoginOptions {
  clientId: string;
  clientSecret: string;
  /** https://discord.com/api, or another server with the same protocol. */
  apiUrl: string;
  timeoutMs?: number;
  fetch: typeof globalThis.fetch;
}

/** Returns the OAuth 2.0 settings of Discord for these scopes. */
export function discordOAuth({ apiUrl, ...options }: DiscordLoginOptions, scope: string): CodeFlowOptions {
  return {
    ...options,
    name: 'Discord',
    variables: 'LATCHKEY_DISCORD_CLIENT_ID and LATCHKEY_DISCORD_CLIENT_SECRET',
    issuer: new URL(apiUrl).origin,
    authorizeUrl: `${apiUrl}/oauth2/authorize`,
    tokenUrl: `${apiUrl}/v10/oauth2/token`,
    profileUrl: `${apiUrl}/v10/users/@me`,
    scope,
    userAgent: 'DiscordBot (self-hosted Latchkey, 0.78)',
    hasPkce: true,
    readProfile: ({ id, username, bot }) =>
      typeof id === 'string' && /^\d{1,20}$/.test(id) && typeof username === 'string' && bot !== true
        ? { userId: id, name: username }
        : undefined,
  };
}

/** Creates the sign-in with Discord. It requests only the account's id and name. */
export function createDiscordLogin(options: DiscordLoginOptions): RedirectIdentityProvider {
  return createCodeFlow(discordOAuth(options, 'identify'));
}
