import { type DiscordRoleObject, type DiscordRoleScene, PlatformFailed } from '@latchkey/core/ports';
import { type DiscordClient, platformFailed } from '../rest/create-client.ts';
import { readMember } from './members.ts';

/** Everything of a server that decides which roles the bot can write. Throws `PlatformFailed`. */
export async function readScene(
  client: DiscordClient,
  guildId: string,
  signal?: AbortSignal,
): Promise<DiscordRoleScene> {
  const [roles, bot] = await Promise.all([
    readRoles(client, guildId, signal),
    botIdOf(client, signal).then((botId) => readMember(client, guildId, botId, { signal })),
  ]);
  if (bot === undefined)
    throw new PlatformFailed('unknown-community', 'The bot is not in this Discord server. Invite it and try again.');
  if (!Array.isArray(bot.roles)) throw notUnderstood();
  return { guildId, roles, botRoleIds: bot.roles };
}

const botIds = new WeakMap<DiscordClient, string>();

/** Who the bot is never changes, so it is asked once. */
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

export async function readRoles(
  client: DiscordClient,
  guildId: string,
  signal?: AbortSignal,
): Promise<DiscordRoleObject[]> {
  const answer = await client.call('GET', `/guilds/${guildId}/roles`, { signal });
  if (answer.kind !== 'ok') throw platformFailed(answer);
  return rolesIn(guildId, answer.body);
}

/** What decides about power is looked at before it is believed: half an answer is none. */
export function rolesIn(guildId: string, value: unknown): DiscordRoleObject[] {
  if (!Array.isArray(value) || !value.every(isRole)) throw notUnderstood();
  // Every server has @everyone, whose id is the server's own.
  if (!value.some(({ id }) => id === guildId)) throw notUnderstood();
  return value;
}

function isRole(value: unknown): value is DiscordRoleObject {
  const { id, permissions } = Object(value) as Partial<Record<keyof DiscordRoleObject, unknown>>;
  return typeof id === 'string' && typeof permissions === 'string' && /^\d{1,40}$/.test(permissions);
}

export function notUnderstood(): PlatformFailed {
  return new PlatformFailed('unavailable', 'Discord answered in a form that is not understood.', 30);
}
