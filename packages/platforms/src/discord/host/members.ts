import { Malformed, parseEntries, parseEntry } from '@latchkey/adapter-kit';
import type { DiscordMemberObject, MemberRoles } from '@latchkey/core/ports';
import { MemberUnreadable, PlatformFailed } from '@latchkey/core/ports';
import type { Priority } from '../governor/index.ts';
import { findMemberId, parseMember } from '../parse/parse-objects.ts';
import { codes, type DiscordAnswer, type DiscordClient, platformFailed } from '../rest/create-client.ts';

export const membersPerPage = 1000;

export function memberRoles({ user, roles, pending }: DiscordMemberObject): MemberRoles {
  return {
    userId: user.id,
    userName: user.username,
    roleIds: roles,
    ...(user.bot && { isBot: true }),
    ...(pending && { isPending: true }),
  };
}

/** Ids are numbers of growing length: a longer one is later. */
export function compareIds(a: string, b: string): number {
  return a.length === b.length ? (a < b ? -1 : a > b ? 1 : 0) : a.length - b.length;
}

/** Returns the id right before this one, to start a page with it. */
export function idBefore(id: string): string {
  return String(BigInt(id) - 1n);
}

interface ReadOptions {
  priority?: Priority | undefined;
  signal?: AbortSignal | undefined;
}

/** Returns undefined if the user is not a member. Throws `PlatformFailed`, and `MemberUnreadable` for a malformed response. */
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
  const member = parseEntry(answer.body, aboutMembers, parseMember)?.parsed;
  if (member?.user.id !== userId) throw new MemberUnreadable('Discord sent a member that could not be read.');
  return member;
}

const aboutMembers = { source: 'discord', kind: 'member' };

export interface MemberPage {
  /** Sorted by id. */
  members: DiscordMemberObject[];
  /** How many entries of the page could not be read: those members are unknown, not absent. */
  malformed: number;
  /** Where the next page begins; undefined at the end of the list, or if it cannot continue. */
  next: string | undefined;
  /** Whether the list has more entries after this page, but nothing says where they begin. */
  isCutOff: boolean;
}

/** Reads the members after an id. Throws `PlatformFailed`. */
export async function readPage(
  client: DiscordClient,
  guildId: string,
  after: string,
  { priority = 'ask', signal, limit = membersPerPage }: ReadOptions & { limit?: number } = {},
): Promise<MemberPage> {
  const answer = await client.call('GET', `/guilds/${guildId}/members`, {
    query: { limit: String(limit), after },
    priority,
    signal,
  });
  if (answer.kind === 'ok') return parsePage(answer.body, after, limit);
  if (answer.kind === 'refused' && answer.code === codes.missingAccess)
    throw new PlatformFailed(
      'forbidden',
      'Discord did not list the members. Turn on the bot’s Server Members Intent in the Discord developer portal, and check that the bot is in the server.',
    );
  throw platformFailed(answer);
}

function parsePage(body: unknown, after: string, limit: number): MemberPage {
  try {
    const idOf = ({ user }: DiscordMemberObject) => user.id;
    const { entries, malformed } = parseEntries(body, { ...aboutMembers, idOf }, parseMember);
    const members = entries.toSorted((a, b) => compareIds(a.user.id, b.user.id));
    const sent: readonly unknown[] = Array.isArray(body) ? body : [];
    if (sent.length < limit) return { members, malformed, next: undefined, isCutOff: false };
    // A malformed entry may still have an id. If it does not, the next page contains it again.
    const last = sent
      .flatMap((entry) => findMemberId(entry) ?? [])
      .toSorted(compareIds)
      .at(-1);
    const next = last !== undefined && compareIds(last, after) > 0 ? last : undefined;
    return { members, malformed, next, isCutOff: next === undefined };
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    throw new PlatformFailed('unavailable', 'Discord sent an unexpected response.', 30);
  }
}

export function isNoMember(answer: DiscordAnswer): boolean {
  return answer.kind === 'refused' && (answer.code === codes.unknownMember || answer.code === codes.unknownUser);
}
