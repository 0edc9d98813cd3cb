import { type Fields, fieldsOf, flagOf, nameOf, parseEntry } from '@latchkey/adapter-kit';
import type { DiscordEvent } from '@latchkey/core/ports';
import { GatewayDispatchEvents } from 'discord-api-types/v10';
import { parseMember, snowflakeOf } from '../parse/parse-objects.ts';

/** What the gateway sends; nothing is known of `d` but that it was JSON. */
export interface Dispatched {
  t: string;
  d: unknown;
}

/**
 * Translates what the gateway tells; undefined for what nobody here waits for. A malformed event costs that event; if it
 * was about a member, the members of its server have to be looked at.
 */
export function readEvent({ t, d }: Dispatched): DiscordEvent | undefined {
  const read = parseEntry(d, { source: 'discord', kind: 'event' }, (value) => parseEvent(t, value));
  if (read !== undefined) return read.parsed;
  const guildId: unknown = Object(d).guild_id;
  const isAboutMember = membersChange.has(t) && typeof guildId === 'string' && /^\d{1,20}$/.test(guildId);
  return isAboutMember ? { kind: 'member-unreadable', guildId } : undefined;
}

const membersChange: ReadonlySet<string> = new Set([
  GatewayDispatchEvents.GuildMemberAdd,
  GatewayDispatchEvents.GuildMemberUpdate,
  GatewayDispatchEvents.GuildMemberRemove,
]);

const guildOf = ({ guild_id: id }: Fields) => snowflakeOf(id, 'the server of an event');
const idOf = ({ id }: Fields) => snowflakeOf(id, 'the id in an event');

/** Throws `Malformed`. */
function parseEvent(t: string, value: unknown): DiscordEvent | undefined {
  switch (t) {
    case GatewayDispatchEvents.GuildMemberAdd:
    case GatewayDispatchEvents.GuildMemberUpdate: {
      const { user, roles } = parseMember(value);
      return {
        kind: t === GatewayDispatchEvents.GuildMemberAdd ? 'member-joined' : 'member-updated',
        guildId: guildOf(fieldsOf(value, 'an event')),
        userId: user.id,
        userName: user.username,
        roleIds: roles,
        isBot: user.bot ?? false,
      };
    }
    case GatewayDispatchEvents.GuildMemberRemove: {
      const d = fieldsOf(value, 'an event');
      return { kind: 'member-left', guildId: guildOf(d), userId: idOf(fieldsOf(d.user, 'the user of an event')) };
    }
    case GatewayDispatchEvents.MessageCreate: {
      const d = fieldsOf(value, 'an event');
      const author = fieldsOf(d.author, 'the author of a message');
      const isOfNobody = flagOf(author.bot, 'whether an author is a bot') || d.webhook_id !== undefined;
      if (d.guild_id === undefined || isOfNobody) return undefined;
      return { kind: 'message', guildId: guildOf(d), userId: idOf(author) };
    }
    case GatewayDispatchEvents.GuildCreate: {
      const d = fieldsOf(value, 'an event');
      // During outages nothing of a guild is told but its id; when they are over, it comes again.
      if (flagOf(d.unavailable, 'whether a server is unavailable')) return undefined;
      const ownerId = snowflakeOf(d.owner_id, 'the owner of a server');
      return { kind: 'guild-joined', guildId: idOf(d), name: nameOf(d.name, 'the name of a server'), ownerId };
    }
    case GatewayDispatchEvents.GuildDelete: {
      const d = fieldsOf(value, 'an event');
      // During outages Discord deletes guilds that nobody left, and says so.
      return flagOf(d.unavailable, 'whether a server is unavailable')
        ? undefined
        : { kind: 'guild-left', guildId: idOf(d) };
    }
    case GatewayDispatchEvents.GuildUpdate:
      return { kind: 'guild-updated', guildId: idOf(fieldsOf(value, 'an event')) };
    case GatewayDispatchEvents.ChannelCreate:
    case GatewayDispatchEvents.ChannelUpdate:
    case GatewayDispatchEvents.ChannelDelete:
      return { kind: 'channel-changed', guildId: guildOf(fieldsOf(value, 'an event')) };
    case GatewayDispatchEvents.GuildRoleCreate:
    case GatewayDispatchEvents.GuildRoleUpdate: {
      const d = fieldsOf(value, 'an event');
      return { kind: 'role-updated', guildId: guildOf(d), roleId: idOf(fieldsOf(d.role, 'the role of an event')) };
    }
    case GatewayDispatchEvents.GuildRoleDelete: {
      const d = fieldsOf(value, 'an event');
      return { kind: 'role-updated', guildId: guildOf(d), roleId: snowflakeOf(d.role_id, 'the role of an event') };
    }
    case GatewayDispatchEvents.InteractionCreate:
      return { kind: 'interaction', interaction: value };
    default:
      return undefined;
  }
}
