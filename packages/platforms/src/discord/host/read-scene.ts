import { Malformed, parseEntries } from '@latchkey/adapter-kit';
import { type DiscordRoleObject, type DiscordRoleScene, PlatformFailed } from '@latchkey/core/ports';
import { parseRole } from '../parse/parse-objects.ts';
import { type DiscordClient, platformFailed } from '../rest/create-client.ts';
import { readMember } from './members.ts';

/** Reads everything about a server that decides which roles the bot can write. Throws `PlatformFailed`. */
export async function readScene(
  client: DiscordClient,
  guildId: string,
  signal?: AbortSignal,
): Promise<DiscordRoleScene> {
  const [{ roles, isPartial }, bot] = await Promise.all([
    readRoles(client, guildId, signal),
    botIdOf(client, signal).then((botId) => readMember(client, guildId, botId, { signal })),
  ]);
  if (bot === undefined)
    throw new PlatformFailed('unknown-community', 'The bot is not in this Discord server. Invite it and try again.');
  // The bot's permissions are unknown if one of its roles could not be read.
  if (isPartial && !bot.roles.every((id) => roles.some((role) => role.id === id))) throw notUnderstood();
  return { guildId, roles, botRoleIds: bot.roles, isPartial };
}

const botIds = new WeakMap<DiscordClient, string>();

/** Returns the bot's id. It never changes, so it is read once. */
async function botIdOf(client: DiscordClient, signal?: AbortSignal): Promise<string> {
  const known = botIds.get(client);
  if (known !== undefined) return known;
  const answer = await client.call('GET', '/users/@me', { signal });
  if (answer.kind !== 'ok') throw platformFailed(answer);
  const { id } = Object(answer.body) as { id?: unknown };
  if (typeof id !== 'string') throw notUnderstood();
  botIds.set(client, id);
  return id;
}

export async function readRoles(client: DiscordClient, guildId: string, signal?: AbortSignal): Promise<GuildRoles> {
  const answer = await client.call('GET', `/guilds/${guildId}/roles`, { signal });
  if (answer.kind !== 'ok') throw platformFailed(answer);
  return rolesIn(guildId, answer.body);
}

export interface GuildRoles {
  roles: DiscordRoleObject[];
  /** Some roles could not be read: a role that is missing here may exist in the server. */
  isPartial: boolean;
}

/** Parses and validates roles one by one, because permissions decide about power. Throws `PlatformFailed`. */
export function rolesIn(guildId: string, value: unknown): GuildRoles {
  try {
    const idOf = ({ id }: DiscordRoleObject) => id;
    const { entries, malformed } = parseEntries(value, { source: 'discord', kind: 'role', idOf }, parseRole);
    // Every server has @everyone, whose id is the server's own, and whose permissions every member has.
    if (!entries.some(({ id }) => id === guildId)) throw notUnderstood();
    return { roles: entries, isPartial: malformed > 0 };
  } catch (error) {
    throw error instanceof Malformed ? notUnderstood() : error;
  }
}

export function notUnderstood(): PlatformFailed {
  return new PlatformFailed('unavailable', 'Discord sent an unexpected response.', 30);
}
