import { record, T, text, texts, type ValueOf } from '@latchkey/kernel';
import { type DiscordRoleObject, permissionNames } from '../../ports/index.ts';

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
