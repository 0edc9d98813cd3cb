import { record, T, text, texts, type ValueOf } from '@latchkey/kernel';
import { type DiscordRoleObject, permissionNames } from '../../ports/index.ts';

const APIRoleTags = record('APIRoleTags', 'What a role belongs to, if it is not one that people give.', {
  bot_id: T.Optional(text('The bot whose own role it is.')),
  premium_subscriber: T.Optional(T.Boolean({ description: 'True for the role of members who boost the server.' })),
  integration_id: T.Optional(text('The integration that gives it.')),
});

export const GuildRolesResponse = record('GuildRolesResponse', 'A role of a Discord server.', {
  id: T.Optional(text('Discord’s id of the role.')),
  name: T.Optional(text('What people call the role.')),
  color: T.Optional(T.Number({ description: 'Its colour, as one number of red, green and blue.' })),
  hoist: T.Optional(T.Boolean({ description: 'Whether its members stand apart in the list.' })),
  icon: T.Optional(text('The hash of its icon.')),
  unicode_emoji: T.Optional(text('The emoji beside its name.')),
  position: T.Optional(T.Number({ description: 'Its place: a member can only give roles of a lower one.' })),
  permissions: T.Optional(texts('What its holders may do, by Discord’s names.')),
  managed: T.Optional(T.Boolean({ description: 'True when an integration gives it, so that nobody else can.' })),
  mentionable: T.Optional(T.Boolean({ description: 'Whether everybody can mention it.' })),
  tags: T.Optional(APIRoleTags),
});
export type GuildRolesResponse = ValueOf<typeof GuildRolesResponse>;

export const DiscordRoleCreate = record('DiscordRoleCreate', 'A role to be made in a Discord server.', {
  name: text('What people will call the role.', { minLength: 1, maxLength: 100 }),
  color: T.Optional(text('Its colour, as #rrggbb or as a decimal number.', { maxLength: 16 })),
  hoist: T.Optional(T.Boolean({ description: 'Whether its members stand apart in the list.' })),
  position: T.Optional(
    T.Number({ description: 'Its place, counted from the bottom; below the bot’s own.', minimum: 1, multipleOf: 1 }),
  ),
  mentionable: T.Optional(T.Boolean({ description: 'Whether everybody can mention it.' })),
  permissions: T.Optional(
    T.Number({
      description: 'The bits of what its holders may do. Bits that let them rule over others are refused here.',
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
    // Discord says yes by a field that is there and empty.
    tags: role.tags && {
      bot_id: role.tags.bot_id,
      integration_id: role.tags.integration_id,
      premium_subscriber: 'premium_subscriber' in role.tags ? true : undefined,
    },
  };
}
