import { botOf, type Call, type Define, idOf } from '../call.ts';
import { refusal } from '../errors.ts';
import { readQueryNumber, readRequiredText } from '../fields.ts';
import { permissionsOf } from '../permissions.ts';
import { ok, type Reply } from '../reply.ts';
import { compareSnowflakes } from '../snowflake.ts';
import { openDirectChannel } from '../state/messages.ts';
import type { User } from '../state/types.ts';
import { viewChannel, viewMember, viewUser } from '../views.ts';

export function defineUsers(define: Define): void {
  define('GET /users/@me', 'other', readSelf);
  define('GET /users/:user', 'other', readUser);
  define('GET /users/@me/guilds', 'other', listGuilds);
  define('GET /users/@me/guilds/:guild/member', 'other', readOwnMember);
  define('POST /users/@me/channels', 'other', openChannel);
}

/** Returns the calling user or bot. A user must have granted the scope. */
function selfOf(call: Call, scope: string): User {
  if (call.actor.kind === 'bot') return call.actor.application.bot;
  if (call.actor.kind === 'user' && call.actor.scopes.has(scope)) return call.actor.user;
  throw refusal('unauthorized');
}

function readSelf(call: Call): Reply {
  const user = selfOf(call, 'identify');
  const base = { ...viewUser(user), mfa_enabled: false, locale: 'en-US', premium_type: 0 };
  if (call.actor.kind === 'user' && call.actor.scopes.has('email')) {
    return ok({ ...base, email: user.email, verified: true });
  }
  return ok({ ...base, email: null, verified: true });
}

function readUser(call: Call): Reply {
  botOf(call);
  const user = call.world.users.get(idOf(call, 'user'));
  if (user === undefined) throw refusal('unknownUser');
  return ok(viewUser(user));
}

function listGuilds(call: Call): Reply {
  const user = selfOf(call, 'guilds');
  const limit = readQueryNumber(call.query, 'limit', { least: 1, most: 200, otherwise: 200 });
  const after = call.query.get('after') ?? '0';
  const withCounts = call.query.get('with_counts') === 'true';
  const guilds = [...call.world.guilds.values()]
    .filter((guild) => guild.members.has(user.id) && !guild.isUnavailable && compareSnowflakes(guild.id, after) > 0)
    .sort((a, b) => compareSnowflakes(a.id, b.id))
    .slice(0, limit);
  return ok(
    guilds.map((guild) => {
      const member = guild.members.get(user.id);
      return {
        id: guild.id,
        name: guild.name,
        icon: null,
        banner: null,
        owner: guild.ownerId === user.id,
        permissions: String(member === undefined ? 0n : permissionsOf(guild, member)),
        features: [],
        ...(withCounts
          ? { approximate_member_count: guild.members.size, approximate_presence_count: guild.members.size }
          : {}),
      };
    }),
  );
}

function readOwnMember(call: Call): Reply {
  if (call.actor.kind === 'bot') throw refusal('botsCannot');
  const user = selfOf(call, 'guilds.members.read');
  const guild = call.world.guilds.get(idOf(call, 'guild'));
  const member = guild?.members.get(user.id);
  if (member === undefined) throw refusal('unknownGuild');
  return ok(viewMember(member));
}

function openChannel(call: Call): Reply {
  const bot = botOf(call);
  const user = call.world.users.get(readRequiredText(call.body, 'recipient_id'));
  if (user === undefined) throw refusal('unknownUser');
  return ok(viewChannel(openDirectChannel(call.world, bot, user)));
}
