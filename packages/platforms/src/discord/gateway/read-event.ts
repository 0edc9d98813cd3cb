import type { DiscordEvent } from '@latchkey/core/ports';
import { GatewayDispatchEvents, type GatewayDispatchPayload } from 'discord-api-types/v10';

/** Translates what the gateway tells; undefined for what nobody here waits for. */
export function readEvent({ t, d }: GatewayDispatchPayload): DiscordEvent | undefined {
  switch (t) {
    case GatewayDispatchEvents.GuildMemberAdd:
    case GatewayDispatchEvents.GuildMemberUpdate:
      return {
        kind: t === GatewayDispatchEvents.GuildMemberAdd ? 'member-joined' : 'member-updated',
        guildId: d.guild_id,
        userId: d.user.id,
        userName: d.user.username,
        roleIds: d.roles,
        isBot: d.user.bot ?? false,
      };
    case GatewayDispatchEvents.GuildMemberRemove:
      return { kind: 'member-left', guildId: d.guild_id, userId: d.user.id };
    case GatewayDispatchEvents.MessageCreate:
      if (d.guild_id === undefined || d.author.bot || d.webhook_id !== undefined) return undefined;
      return { kind: 'message', guildId: d.guild_id, userId: d.author.id };
    case GatewayDispatchEvents.GuildCreate:
      // During outages nothing of a guild is told but its id; when they are over, it comes again.
      return d.unavailable ? undefined : { kind: 'guild-joined', guildId: d.id, name: d.name, ownerId: d.owner_id };
    case GatewayDispatchEvents.GuildDelete:
      // During outages Discord deletes guilds that nobody left, and says so.
      return d.unavailable ? undefined : { kind: 'guild-left', guildId: d.id };
    case GatewayDispatchEvents.GuildUpdate:
      return { kind: 'guild-updated', guildId: d.id };
    case GatewayDispatchEvents.ChannelCreate:
    case GatewayDispatchEvents.ChannelUpdate:
    case GatewayDispatchEvents.ChannelDelete:
      return { kind: 'channel-changed', guildId: d.guild_id };
    case GatewayDispatchEvents.GuildRoleCreate:
    case GatewayDispatchEvents.GuildRoleUpdate:
      return { kind: 'role-updated', guildId: d.guild_id, roleId: d.role.id };
    case GatewayDispatchEvents.GuildRoleDelete:
      return { kind: 'role-updated', guildId: d.guild_id, roleId: d.role_id };
    case GatewayDispatchEvents.InteractionCreate:
      return { kind: 'interaction', interaction: d };
    default:
      return undefined;
  }
}
