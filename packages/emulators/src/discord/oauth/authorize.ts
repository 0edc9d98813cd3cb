import type { Permissions } from '../permissions.ts';
import { addBot } from '../state/guilds.ts';
import type { Application, User } from '../state/types.ts';
import type { World } from '../state/world.ts';
import type { Grants } from './grants.ts';

export interface Authorization {
  clientId: string;
  redirectUri: string;
  scope: string;
  state?: string | undefined;
  /** PKCE, by S256. */
  codeChallenge?: string | undefined;
  /** For the scope `bot`: the guild and the permissions. */
  guildId?: string | undefined;
  permissions?: Permissions | undefined;
}

/** The user approves. Returns the redirect URL. Throws an error if the link itself is invalid. */
export function approve(world: World, grants: Grants, user: User, request: Authorization): string {
  const application = checkLink(world, request);
  const scopes = new Set(request.scope.split(/[ +]/).filter((scope) => scope !== ''));
  const target = new URL(request.redirectUri);
  if (scopes.has('bot') && request.guildId !== undefined) {
    const guild = world.guilds.get(request.guildId);
    if (guild === undefined) throw new Error(`The emulator has no guild ${request.guildId}.`);
    if (!guild.members.has(application.bot.id)) addBot(world, guild, application, request.permissions ?? 0n);
    target.searchParams.set('guild_id', guild.id);
    target.searchParams.set('permissions', String(request.permissions ?? 0n));
  }
  const code = grants.approve({
    application,
    user,
    scopes,
    redirectUri: request.redirectUri,
    challenge: request.codeChallenge,
  });
  target.searchParams.set('code', code);
  return back(world, target, request);
}

/** The user declines. */
export function deny(world: World, request: Authorization): string {
  checkLink(world, request);
  const target = new URL(request.redirectUri);
  target.searchParams.set('error', 'access_denied');
  target.searchParams.set('error_description', 'The resource owner or authorization server denied the request');
  return back(world, target, request);
}

function back({ origin }: World, target: URL, { state }: Authorization): string {
  if (state !== undefined) target.searchParams.set('state', state);
  target.searchParams.set('iss', origin);
  return target.href;
}

/** Never redirects a browser to a URL that the application did not register. */
export function checkLink(world: World, { clientId, redirectUri }: Authorization): Application {
  const application = world.applications.get(clientId);
  if (application === undefined) throw new Error(`There is no application ${clientId}.`);
  if (!application.redirectUris.has(redirectUri)) {
    throw new Error(`The application did not register the address ${redirectUri}.`);
  }
  return application;
}
