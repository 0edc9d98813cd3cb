import { fieldsOf, flagOf, listOf, Malformed, textOf } from '@latchkey/adapter-kit';
import type { DiscordChannelObject, DiscordMemberObject, DiscordRoleObject } from '@latchkey/core/ports';

/** Parses a Discord id: a 64-bit integer as text. */
export function snowflakeOf(value: unknown, what: string): string {
  const id = textOf(value, what);
  if (!/^\d{1,20}$/.test(id)) throw new Malformed(`${what} is not an id`);
  return id;
}

/** Validates the fields that decide about a member, and passes on everything else as Discord sent it. Throws `Malformed`. */
export function parseMember(value: unknown): DiscordMemberObject {
  const member = fieldsOf(value, 'a member');
  const { id, username, bot, ...user } = fieldsOf(member.user, 'the user of a member');
  return {
    ...member,
    user: {
      ...user,
      id: snowflakeOf(id, 'the id of a user'),
      username: textOf(username, 'the name of a user'),
      ...(bot !== undefined && { bot: flagOf(bot, 'whether a user is a bot') }),
    },
    ...(member.pending !== undefined && { pending: flagOf(member.pending, 'whether a member is pending') }),
    roles: [...new Set(listOf(member.roles, 'the roles of a member').map((id) => snowflakeOf(id, 'the id of a role')))],
  };
}

/** Returns the id of a member whose entry may be malformed, to continue the list after it. */
export function findMemberId(value: unknown): string | undefined {
  const id: unknown = Object(Object(value).user).id;
  return typeof id === 'string' && /^\d{1,20}$/.test(id) ? id : undefined;
}

/** Throws `Malformed`. */
export function parseRole(value: unknown): DiscordRoleObject {
  const role = fieldsOf(value, 'a role');
  const permissions = textOf(role.permissions, 'the permissions of a role');
  if (!/^\d{1,40}$/.test(permissions)) throw new Malformed('the permissions of a role are not a number');
  return {
    ...role,
    id: snowflakeOf(role.id, 'the id of a role'),
    name: textOf(role.name, 'the name of a role'),
    permissions,
    color: numberOf(role.color, 'the colour of a role'),
    position: numberOf(role.position, 'the position of a role'),
    hoist: flagOf(role.hoist, 'whether a role is hoisted'),
    managed: givenFlag(role.managed, 'whether a role is managed'),
    mentionable: flagOf(role.mentionable, 'whether a role can be mentioned'),
  };
}

/** Throws `Malformed`. */
export function parseChannel(value: unknown): DiscordChannelObject {
  const channel = fieldsOf(value, 'a channel');
  const overwrites = channel.permission_overwrites;
  return {
    ...channel,
    id: snowflakeOf(channel.id, 'the id of a channel'),
    type: numberOf(channel.type, 'the type of a channel'),
    ...(overwrites !== undefined && {
      permission_overwrites: listOf(overwrites, 'the overwrites of a channel').map(parseOverwrite),
    }),
  };
}

function parseOverwrite(value: unknown): NonNullable<DiscordChannelObject['permission_overwrites']>[number] {
  const { id, type, allow, deny } = fieldsOf(value, 'an overwrite');
  return {
    id: snowflakeOf(id, 'the id of an overwrite'),
    type: numberOf(type, 'the type of an overwrite'),
    allow: snowflakeOf(allow, 'what an overwrite allows'),
    deny: snowflakeOf(deny, 'what an overwrite denies'),
  };
}

function givenFlag(value: unknown, what: string): boolean {
  if (value === undefined) throw new Malformed(`${what} is missing`);
  return flagOf(value, what);
}

function numberOf(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new Malformed(`${what} is not a whole number`);
  return value;
}
