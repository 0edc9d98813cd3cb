import { type Call, type Define, guildOf, type Here, idOf, need, paramOf } from '../call.ts';
import { invalidField, refusal } from '../errors.ts';
import { isFields, readBits, readList, readNumber, readQueryNumber, readRequiredText, readText } from '../fields.ts';
import { permissionsOf } from '../permissions.ts';
import { created, ok, type Reply } from '../reply.ts';
import { createChannel } from '../state/guilds.ts';
import type { Overwrite } from '../state/types.ts';
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

const mostChannels = 500;
const mostInCategory = 50;
const [textType, categoryType] = [0, 4];

/** Names of text channels are written in lower case and without spaces, as Discord does it. */
function addChannel(call: Call): Reply {
  const here = guildOf(call);
  need(here, 'MANAGE_CHANNELS');
  const type = readNumber(call.body, 'type') ?? textType;
  const name = readRequiredText(call.body, 'name');
  const parentId = readText(call.body, 'parent_id') ?? null;
  const overwrites = readOverwrites(call, here);
  if (here.guild.channels.size >= mostChannels) throw refusal('tooManyChannels');
  checkParent(here, parentId);
  const channel = createChannel(call.world, here.guild, {
    name: type === textType ? name.trim().toLowerCase().replace(/\s+/g, '-') : name,
    type,
    topic: readText(call.body, 'topic', 1024) ?? null,
    parentId,
    overwrites,
  });
  return created(viewChannel(channel));
}

function checkParent({ guild }: Here, parentId: string | null): void {
  if (parentId === null) return;
  if (guild.channels.get(parentId)?.type !== categoryType)
    throw invalidField('parent_id', 'CHANNEL_PARENT_INVALID', 'Category does not exist');
  const inside = [...guild.channels.values()].filter((channel) => channel.parentId === parentId);
  if (inside.length >= mostInCategory)
    throw invalidField(
      'parent_id',
      'CHANNEL_PARENT_MAX_CHANNELS',
      `Maximum number of channels in category reached (${mostInCategory})`,
    );
}

/** A bot can allow and deny in a channel only what it may do itself. */
function readOverwrites(call: Call, { guild, self }: Here): Map<string, Overwrite> {
  const own = permissionsOf(guild, self);
  const given = readList(call.body, 'permission_overwrites') ?? [];
  return new Map(
    given.map((value, index) => {
      const fields = isFields(value) ? value : {};
      const id = readRequiredText(fields, 'id');
      const type = readNumber(fields, 'type');
      if (type !== 0 && type !== 1)
        throw invalidField(`permission_overwrites.${index}.type`, 'BASE_TYPE_CHOICES', 'Value must be one of (0, 1).');
      const isKnown = type === 0 ? guild.roles.has(id) : call.world.users.has(id);
      if (!isKnown) throw refusal(type === 0 ? 'unknownRole' : 'unknownUser');
      const [allow, deny] = [readBits(fields, 'allow') ?? 0n, readBits(fields, 'deny') ?? 0n];
      if (((allow | deny) & ~own) !== 0n) throw refusal('missingPermissions');
      return [id, { id, kind: type === 0 ? ('role' as const) : ('member' as const), allow, deny }];
    }),
  );
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
