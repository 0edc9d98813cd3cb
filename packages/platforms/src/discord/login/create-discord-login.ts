import type { RedirectIdentityProvider } from '@latchkey/core/ports';
import { createCodeFlow } from '../../oauth/create-code-flow.ts';
import { type DiscordLoginOptions, discordOAuth } from './discord-oauth.ts';

/** Logging in with Discord. It is asked for the account's id and name and for nothing else. */
export function createDiscordLogin(options: DiscordLoginOptions): RedirectIdentityProvider {
  return createCodeFlow(discordOAuth(options, 'identify'));
}
