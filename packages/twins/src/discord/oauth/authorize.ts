import type { Call } from '../call.ts';
import type { Permissions } from '../permissions.ts';
import { json, type Reply } from '../reply.ts';
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
  /** For the scope `bot`: where to, and with which permissions. */
  guildId?: string | undefined;
  permissions?: Permissions | undefined;
}

/** The person agrees. Answers where the browser goes then. Throws a sentence when the link itself is wrong. */
export function approve(world: World, grants: Grants, user: User, asked: Authorization): string {
  const application = checkLink(world, asked);
  const scopes = new Set(asked.scope.split(/[ +]/).filter((scope) => scope !== ''));
  const target = new URL(asked.redirectUri);
  if (scopes.has('bot') && asked.guildId !== undefined) {
    const guild = world.guilds.get(asked.guildId);
    if (guild === undefined) throw new Error(`The twin has no guild ${asked.guildId}.`);
    if (!guild.members.has(application.bot.id)) addBot(world, guild, application, asked.permissions ?? 0n);
    target.searchParams.set('guild_id', guild.id);
    target.searchParams.set('permissions', String(asked.permissions ?? 0n));
  }
  const code = grants.approve({
    application,
    user,
    scopes,
    redirectUri: asked.redirectUri,
    challenge: asked.codeChallenge,
  });
  target.searchParams.set('code', code);
  if (asked.state !== undefined) target.searchParams.set('state', asked.state);
  return target.href;
}

/** Never sends a browser to an address that the application did not register. */
function checkLink(world: World, { clientId, redirectUri }: Authorization): Application {
  const application = world.applications.get(clientId);
  if (application === undefined) throw new Error(`There is no application ${clientId}.`);
  if (!application.redirectUris.has(redirectUri)) {
    throw new Error(`The application did not register the address ${redirectUri}.`);
  }
  return application;
}

/** Discord's page of consent, without a login: it asks who of the twin's people you are, or takes `twin_user`. */
export function showConsent(call: Call, grants: Grants): Reply {
  const { query, world } = call;
  const asked: Authorization = {
    clientId: query.get('client_id') ?? '',
    redirectUri: query.get('redirect_uri') ?? '',
    scope: query.get('scope') ?? '',
    state: query.get('state') ?? undefined,
    codeChallenge: query.get('code_challenge') ?? undefined,
    guildId: query.get('guild_id') ?? undefined,
    permissions: BigInt(/^\d+$/.exec(query.get('permissions') ?? '')?.[0] ?? 0),
  };
  try {
    const application = checkLink(world, asked);
    const user = world.users.get(query.get('twin_user') ?? '');
    if (user) return { status: 302, headers: { location: approve(world, grants, user, asked) } };
    return consentPage(application, world, query);
  } catch (error) {
    return json(400, { message: error instanceof Error ? error.message : String(error), code: 50035 });
  }
}

const mostPeopleShown = 200;

function consentPage(application: Application, world: World, query: URLSearchParams): Reply {
  const people = world.users
    .values()
    .filter((user) => !user.isBot)
    .take(mostPeopleShown)
    .map((user) => {
      const link = new URLSearchParams([...query, ['twin_user', user.id]]);
      return `<li><a href="?${escapeHtml(link.toString())}">${escapeHtml(user.username)}</a></li>`;
    })
    .toArray();
  const body = `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Authorize</title>
<h1>${escapeHtml(application.name)} wants to access your account</h1>
<p>This is a stand-in of Discord. Who are you?</p><ul>${people.join('')}</ul></html>\n`;
  return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body };
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
