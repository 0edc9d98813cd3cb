import type { DiscordMemberObject, MemberRoles } from '@latchkey/core/ports';
import { PlatformFailed } from '@latchkey/core/ports';
import type { Priority } from '../governor/index.ts';
import { codes, type DiscordAnswer, type DiscordClient, platformFailed } from '../rest/create-client.ts';

export const membersPerPage = 1000;

export function memberRoles({ user, roles }: DiscordMemberObject): MemberRoles {
  return { userId: user.id, userName: user.username, roleIds: roles, ...(user.bot ? { isBot: true } : {}) };
}

/** Ids are numbers of growing length: a longer one is the later one. */
export function compareIds(a: string, b: string): number {
  return a.length === b.length ? (a < b ? -1 : a > b ? 1 : 0) : a.length - b.length;
}

/** The id right before this one, to start a page at it. */
export function idBefore(id: string): string {
  return String(BigInt(id) - 1n);
}

interface ReadOptions {
  priority?: Priority | undefined;
  signal?: AbortSignal | undefined;
}

/** Undefined when the user is not a member. Throws `PlatformFailed`. */
export async function readMember(
  client: DiscordClient,
  guildId: string,
  userId: string,
  { priority = 'ask', signal }: ReadOptions = {},
): Promise<DiscordMemberObject | undefined> {
  if (!/^\d{1,20}$/.test(userId)) return undefined;
  const answer = await client.call('GET', `/guilds/${guildId}/members/${userId}`, { priority, signal });
  if (isNoMember(answer)) return undefined;
  if (answer.kind !== 'ok') throw platformFailed(answer);
  return answer.body as DiscordMemberObject;
}

/** Members after an id, in the order of their ids. Throws `PlatformFailed`. */
export async function readPage(
  client: DiscordClient,
  guildId: string,
  after: string,
  { priority = 'ask', signal, limit = membersPerPage }: ReadOptions & { limit?: number } = {},
): Promise<DiscordMemberObject[]> {
  const answer = await client.call('GET', `/guilds/${guildId}/members`, {
    query: { limit: String(limit), after },
    priority,
    signal,
  });
  if (answer.kind === 'ok')
    return (answer.body as DiscordMemberObject[]).toSorted((a, b) => compareIds(a.user.id, b.user.id));
  if (answer.kind === 'refused' && answer.code === codes.missingAccess)
    throw new PlatformFailed(
      'forbidden',
      'Discord does not list the members. Switch on the Server Members Intent of the bot in the Discord developer portal, and check that the bot is in the server.',
    );
  throw platformFailed(answer);
}

export function isNoMember(answer: DiscordAnswer): boolean {
  return answer.kind === 'refused' && (answer.code === codes.unknownMember || answer.code === codes.unknownUser);
}
