import { record, T, text, texts, type ValueOf } from '@latchkey/kernel';
import {
  type DiscordChannelObject,
  type DiscordGuildObject,
  type DiscordMemberObject,
  type DiscordRoleObject,
  type DiscordUserObject,
  permissionNames,
} from '../../ports/index.ts';

const DiscordChannel = record('DiscordChannel', 'A channel of a Discord server.', {
  id: text('Discord’s id of the channel.'),
  name: T.Optional(text('The name of the channel.')),
  type: text('The kind of channel: text, voice, category, announcement, forum, media, stage or other.'),
});

const DiscordRole = record('DiscordRole', 'A role of a Discord server, in short.', {
  id: text('Discord’s id of the role.'),
  name: text('The name of the role.'),
  color: T.Optional(T.Number({ description: 'Its color, as an RGB number.' })),
});

export const DiscordGuild = record('DiscordGuild', 'A Discord server.', {
  id: T.Optional(text('Discord’s id of the server.')),
  memberCount: T.Optional(T.Number({ description: 'How many members it has, about.' })),
  channels: T.Optional(T.Array(DiscordChannel, { description: 'Its channels.', maxItems: 1000 })),
  roles: T.Optional(T.Array(DiscordRole, { description: 'Its roles.', maxItems: 1000 })),
});

export type DiscordGuild = ValueOf<typeof DiscordGuild>;

const channelTypes: Readonly<Record<number, string>> = {
  0: 'text',
  2: 'voice',
  4: 'category',
  5: 'announcement',
  13: 'stage',
  15: 'forum',
  16: 'media',
};

export function toGuild(guild: DiscordGuildObject, channels: readonly DiscordChannelObject[]): DiscordGuild {
  return {
    id: guild.id,
    memberCount: guild.approximate_member_count,
    channels: channels.map(({ id, name, type }) => ({
      id,
      name: name ?? undefined,
      type: channelTypes[type] ?? 'other',
    })),
    roles: guild.roles.map(({ id, name, color }) => ({ id, name, color })),
  };
}

const APIRoleTags = record('APIRoleTags', 'What manages the role, if it cannot be granted manually.', {
  bot_id: T.Optional(text('The bot that the role belongs to.')),
  premium_subscriber: T.Optional(T.Boolean({ description: 'True for the server booster role.' })),
  integration_id: T.Optional(text('The integration that grants it.')),
});

export const GuildRolesResponse = record('GuildRolesResponse', 'A role of a Discord server.', {
  id: T.Optional(text('Discord’s id of the role.')),
  name: T.Optional(text('The name of the role.')),
  color: T.Optional(T.Number({ description: 'Its color, as an RGB number.' })),
  hoist: T.Optional(T.Boolean({ description: 'Whether its members are shown separately in the member list.' })),
  icon: T.Optional(text('The hash of its icon.')),
  unicode_emoji: T.Optional(text('The emoji beside its name.')),
  position: T.Optional(T.Number({ description: 'Its position: a member can only grant roles in a lower position.' })),
  permissions: T.Optional(texts('Its permissions, by Discord’s names.')),
  managed: T.Optional(
    T.Boolean({ description: 'True if an integration manages it, so that no one else can grant it.' }),
  ),
  mentionable: T.Optional(T.Boolean({ description: 'Whether everyone can mention it.' })),
  tags: T.Optional(APIRoleTags),
});

export type GuildRolesResponse = ValueOf<typeof GuildRolesResponse>;

export const DiscordRoleCreate = record('DiscordRoleCreate', 'A role to create in a Discord server.', {
  name: text('The name of the role.', { minLength: 1, maxLength: 100 }),
  color: T.Optional(text('Its color, as #rrggbb or as a decimal number.', { maxLength: 16 })),
  hoist: T.Optional(T.Boolean({ description: 'Whether its members are shown separately in the member list.' })),
  position: T.Optional(
    T.Number({ description: 'Its position, counted from the bottom; below the bot’s own.', minimum: 1, multipleOf: 1 }),
  ),
  mentionable: T.Optional(T.Boolean({ description: 'Whether everyone can mention it.' })),
  permissions: T.Optional(
    T.Number({
      description: 'The permission bits. Privileged permissions are rejected.',
      minimum: 0,
      multipleOf: 1,
    }),
  ),
});

export type DiscordRoleCreate = ValueOf<typeof DiscordRoleCreate>;

export function toRole(role: DiscordRoleObject): GuildRolesResponse {
  return {
    id: role.id,
    name: role.name,
    color: role.color,
    hoist: role.hoist,
    icon: role.icon ?? undefined,
    unicode_emoji: role.unicode_emoji ?? undefined,
    position: role.position,
    permissions: permissionNames(role.permissions),
    managed: role.managed,
    mentionable: role.mentionable,
    // Discord represents true as a field that is present and null.
    tags: role.tags && {
      bot_id: role.tags.bot_id,
      integration_id: role.tags.integration_id,
      premium_subscriber: 'premium_subscriber' in role.tags ? true : undefined,
    },
  };
}

const APIUser = record('APIUser', 'A user of Discord.', {
  id: T.Optional(text('Discord’s id of the user.')),
  username: T.Optional(text('The name of the account.')),
  discriminator: T.Optional(text('The four digits of old names; 0 for new ones.')),
  avatar: T.Optional(text('The hash of the picture.')),
  bot: T.Optional(T.Boolean({ description: 'True for bots.' })),
  system: T.Optional(T.Boolean({ description: 'True for Discord’s own messages.' })),
  mfa_enabled: T.Optional(T.Boolean({ description: 'Whether two-factor authentication is enabled.' })),
  banner: T.Optional(text('The hash of the banner.')),
  accent_color: T.Optional(T.Number({ description: 'The color of the profile.' })),
  locale: T.Optional(text('The language.')),
  verified: T.Optional(T.Boolean({ description: 'Whether the e-mail address is confirmed.' })),
  email: T.Optional(text('The e-mail address; not visible to bots.')),
  flags: T.Optional(T.Number({ description: 'The account’s flags.' })),
  premium_type: T.Optional(T.Number({ description: 'The kind of subscription.' })),
  public_flags: T.Optional(T.Number({ description: 'The account’s public flags.' })),
});

export const GuildMemberInfoResponse = record('GuildMemberInfoResponse', 'A member of a Discord server.', {
  user: T.Optional(APIUser),
  nick: T.Optional(text('What the member is called in this server.')),
  avatar: T.Optional(text('The hash of the picture used in this server.')),
  roles: T.Optional(texts('The ids of the roles the member has.')),
  joined_at: T.Optional(text('When the member joined, in ISO 8601 format.')),
  premium_since: T.Optional(text('When the member started boosting the server.')),
  deaf: T.Optional(T.Boolean({ description: 'Whether the member is deafened in voice channels.' })),
  mute: T.Optional(T.Boolean({ description: 'Whether the member is muted in voice channels.' })),
  pending: T.Optional(T.Boolean({ description: 'Whether the member has yet to accept the server’s rules.' })),
  communication_disabled_until: T.Optional(text('When the member’s timeout ends.')),
});

export type GuildMemberInfoResponse = ValueOf<typeof GuildMemberInfoResponse>;

export function toMember(member: DiscordMemberObject): GuildMemberInfoResponse {
  return {
    user: toUser(member.user),
    nick: member.nick ?? undefined,
    avatar: member.avatar ?? undefined,
    roles: member.roles,
    joined_at: member.joined_at ?? undefined,
    premium_since: member.premium_since ?? undefined,
    deaf: member.deaf,
    mute: member.mute,
    pending: member.pending,
    communication_disabled_until: member.communication_disabled_until ?? undefined,
  };
}

function toUser({
  id,
  username,
  discriminator,
  avatar,
  bot,
  system,
  public_flags,
}: DiscordUserObject): ValueOf<typeof APIUser> {
  return {
    id,
    username,
    discriminator,
    avatar: avatar ?? undefined,
    bot,
    system: typeof system === 'boolean' ? system : undefined,
    public_flags: typeof public_flags === 'number' ? public_flags : undefined,
  };
}
