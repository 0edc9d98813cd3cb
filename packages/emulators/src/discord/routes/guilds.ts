import { type Call, type Define, guildOf, idOf, need, paramOf } from '../call.ts';
import { refusal } from '../errors.ts';
import { readNumber, readQueryNumber, readRequiredText, readText } from '../fields.ts';
import { created, ok, type Reply } from '../reply.ts';
import { createChannel } from '../state/guilds.ts';
import { viewAuditEntry, viewChannel, viewGuild, viewUser } from '../views.ts';

export function defineGuilds(define: Define): void {
  define('GET /guilds/:guild', 'other', readGuild);
  define('GET /guilds/:guild/channels', 'other', listChannels);
  define('POST /guilds/:guild/channels', 'other', addChannel);
  define('GET /guilds/:guild/audit-logs', 'other', readAuditLog);
  define('GET /icons/:guild/:file', 'other', sendIcon, { isOpen: true });
}

function readGuild(call: Call): Reply {
  const { guild } = guildOf(call);
  if (call.query.get('with_counts') !== 'true') return ok(viewGuild(guild));
  const members = guild.members.size;
  return ok({ ...viewGuild(guild), approximate_member_count: members, approximate_presence_count: members });
}

/** Returns all channels, including those that the bot cannot access, as Discord does. */
function listChannels(call: Call): Reply {
  const { guild } = guildOf(call);
  return ok(Array.from(guild.channels.values(), viewChannel));
}

/** Serves what cdn.discordapp.com serves publicly: the guild's current icon, in the requested format. */
function sendIcon(call: Call): Reply {
  const icon = call.world.guilds.get(idOf(call, 'guild'))?.icon;
  if (icon === undefined || !paramOf(call, 'file').startsWith(`${icon.hash}.`)) throw refusal('notFound');
  return { status: 200, headers: { 'content-type': icon.type }, body: icon.bytes };
}

function addChannel(call: Call): Reply {
  const here = guildOf(call);
  need(here, 'MANAGE_CHANNELS');
  const channel = createChannel(call.world, here.guild, {
    name: readRequiredText(call.body, 'name'),
    type: readNumber(call.body, 'type') ?? 0,
    topic: readText(call.body, 'topic', 1024) ?? null,
    parentId: readText(call.body, 'parent_id') ?? null,
  });
  return created(viewChannel(channel));
}

function readAuditLog(call: Call): Reply {
  const here = guildOf(call);
  need(here, 'VIEW_AUDIT_LOG');
  const limit = readQueryNumber(call.query, 'limit', { least: 1, most: 100, otherwise: 50 });
  const action = call.query.get('action_type');
  const entries = here.guild.audit
    .filter((entry) => action === null || entry.action === Number(action))
    .slice(-limit)
    .reverse();
  const users = new Set(entries.flatMap(({ userId, targetId }) => [userId, targetId]));
  return ok({
    audit_log_entries: entries.map(viewAuditEntry),
    users: Array.from(users, (id) => call.world.users.get(id)).flatMap((user) => (user ? viewUser(user) : [])),
    application_commands: [],
    auto_moderation_rules: [],
    guild_scheduled_events: [],
    integrations: [],
    threads: [],
    webhooks: [],
  });
}
