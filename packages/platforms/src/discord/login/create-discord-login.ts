import type { RedirectIdentityProvider } from '@latchkey/core/ports';
import { createCodeFlow } from '../../oauth/create-code-flow.ts';
import { type DiscordLoginOptions, discordOAuth } from './discord-oauth.ts';

/** Creates the sign-in with Discord. It requests only the account's id and name. */
export function createDiscordLogin(options: DiscordLoginOptions): RedirectIdentityProvider {
  return createCodeFlow(discordOAuth(options, 'identify'));
}
