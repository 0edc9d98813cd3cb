import { record, T, text, type ValueOf } from '@latchkey/kernel';
import type { DiscordChannelObject, DiscordGuildObject } from '../../ports/index.ts';

const DiscordChannel = record('DiscordChannel', 'A channel of a Discord server.', {
  id: T.Optional(text('Discord’s id of the channel.')),
  name: T.Optional(text('The name of the channel.')),
  type: T.Optional(text('The kind of channel: text, voice, category, announcement, forum, media, stage or other.')),
});

const DiscordRole = record('DiscordRole', 'A role of a Discord server, in short.', {
  id: T.Optional(text('Discord’s id of the role.')),
  name: T.Optional(text('The name of the role.')),
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
