import { parseEntries, parseEntry } from '@latchkey/adapter-kit';
import {
  type MemberListEnd,
  type MemberRoles,
  MemberUnreadable,
  type MemberWrite,
  PlatformFailed,
  type RoleHost,
  type WriteOutcome,
} from '@latchkey/core/ports';
import type { Clock, Log } from '@latchkey/kernel';
import type { TelegramCall } from './client.ts';
import {
  type ChatMember,
  isInside,
  isProtected,
  managesMembers,
  memberRole,
  parseChatMember,
  toMember,
} from './member.ts';
import type { MemberList } from './mtproto/list-chat.ts';
import type { MemberLister } from './mtproto/member-lister.ts';
import { saysNobody, saysNoRequest, stopsEverything } from './refusals.ts';

export interface LoggedLister extends MemberLister {
  log: Log;
}

/**
 * Creates the role host of Telegram groups and channels. The Bot API has no list of members: without a lister, the known members are those
 * who joined or posted while the bot was there, and each is read by id.
 */
export function createTelegramHost(call: TelegramCall, clock: Clock, lister?: LoggedLister): RoleHost {
  return {
    platform: 'telegram',
    writesAtOnce: 4,
    listsEveryone: false,
    readRoles: async () => [{ id: memberRole, name: 'Member', position: 0 }],
    readMember: async (chatId, userId, signal) => {
      const member = await readOne(call, chatId, userId, signal);
      return member && isInside(member) ? toMember(member) : undefined;
    },
    readMembers: async function* (chatId, signal): AsyncGenerator<readonly MemberRoles[], MemberListEnd> {
      yield (await readAdmins(call, chatId, signal)).admins.map(toMember);
      if (lister === undefined) return { isComplete: false, reason: unlisted };
      const { members, end } = await listOrTell(lister, chatId, signal);
      for (let from = 0; from < members.length; from += pageMembers) yield members.slice(from, from + pageMembers);
      return end;
    },
    findFaults: async (chatId, roleIds, signal) => [
      ...((await isAdministrator(call, chatId, signal)) ? [] : [powerless]),
      ...roleIds.filter((roleId) => roleId !== memberRole).map((roleId) => ({ ...noSuchRole, roleId })),
    ],
    administers: async (chatId, userId, signal) => {
      // Telegram allows this call even if the bot is not an administrator.
      const { admins, malformed } = await readAdmins(call, chatId, signal);
      const found = admins.find(({ user }) => user.id === userId);
      if (found === undefined && malformed > 0) throw unreadable();
      return found !== undefined && managesMembers(found);
    },
    findOwner: async (chatId, signal) => {
      const { admins, malformed } = await readAdmins(call, chatId, signal);
      const owner = admins.find(({ status }) => status === 'creator');
      if (owner === undefined && malformed > 0) throw unreadable();
      return owner?.user.id;
    },
    writeMember: async (write, signal) => {
      try {
        return await writeOne(call, clock, write, signal);
      } catch (error) {
        if (error instanceof PlatformFailed) return outcomeOf(error);
        throw error;
      }
    },
  };
}

const noSuchRole = {
  fault: 'missing',
  advice: `Telegram chats only have the role "${memberRole}". Choose that role in the rule.`,
} as const;

const powerless = {
  scope: 'community',
  fault: 'permission',
  advice: 'Make the bot an administrator of the chat with permission to invite and ban users.',
} as const;

/** Whether the bot is an administrator of the chat. Its exact rights only show on use. */
async function isAdministrator(call: TelegramCall, chatId: string, signal?: AbortSignal): Promise<boolean> {
  const me = await call((api, abort) => api.getMe(abort), signal);
  if (!Number.isSafeInteger(me?.id)) throw unreadable();
  return isProtected(parseOne(await call((api, abort) => api.getChatMember(chatId, me.id, abort), signal), me.id));
}

const aboutMembers = { source: 'telegram', kind: 'member' };

async function readAdmins(call: TelegramCall, chatId: string, signal?: AbortSignal) {
  const answer: unknown = await call((api, abort) => api.getChatAdministrators(chatId, {}, abort), signal);
  if (!Array.isArray(answer)) throw unreadable();
  const about = { ...aboutMembers, idOf: ({ user }: ChatMember) => user.id };
  const { entries, malformed } = parseEntries(answer, about, parseChatMember);
  return { admins: entries, malformed };
}

/** Throws `MemberUnreadable`. */
function parseOne(answer: unknown, userId: number): ChatMember {
  const member = parseEntry(answer, aboutMembers, parseChatMember)?.parsed;
  if (member?.user.id !== String(userId)) throw unreadable();
  return member;
}

function unreadable(): MemberUnreadable {
  return new MemberUnreadable('Telegram sent a member that could not be read.');
}

/** How many members are returned at a time. */
const pageMembers = 1_000;

const unlisted =
  'Only members who joined, posted or manage the chat are known. Set LATCHKEY_TELEGRAM_API_ID and LATCHKEY_TELEGRAM_API_HASH to list everyone.';

/** Lists the members. If that fails, continues with known members, as without a lister, and logs why. */
async function listOrTell({ list, log }: LoggedLister, chatId: string, signal?: AbortSignal): Promise<MemberList> {
  try {
    return await list(chatId, signal);
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    const { message: reason, kind } = error;
    log.warn('Could not list a Telegram chat’s members. Checking known members only.', {
      chatId,
      kind,
      reason,
    });
    return { members: [], end: { isComplete: false, reason } };
  }
}

async function readOne(
  call: TelegramCall,
  chatId: string,
  userId: string,
  signal?: AbortSignal,
): Promise<ChatMember | undefined> {
  try {
    const answer = await call((api, abort) => api.getChatMember(chatId, Number(userId), abort), signal);
    return parseOne(answer, Number(userId));
  } catch (error) {
    if (saysNobody(error)) return undefined;
    throw error;
  }
}

async function writeOne(
  call: TelegramCall,
  clock: Clock,
  write: MemberWrite,
  signal?: AbortSignal,
): Promise<WriteOutcome> {
  const { communityId: chatId, userId } = write;
  if (write.isJoinRequest && write.remove.includes(memberRole)) return turnAway(call, chatId, Number(userId), signal);
  if (![...write.add, ...write.remove].includes(memberRole))
    return { kind: 'forbidden', ...noSuchRole, ...onlyOne(write) };
  const before = await readOne(call, chatId, userId, signal);
  const wasInside = before !== undefined && isInside(before);
  const leaves = write.remove.includes(memberRole);
  if (wasInside !== leaves) return wasInside ? { kind: 'written', roleIds: [memberRole], calls: 0 } : { kind: 'gone' };
  if (before && leaves && isProtected(before))
    return { kind: 'forbidden', scope: 'change', roleId: memberRole, advice: protectedReason };
  const calls = leaves
    ? await removeMember(call, clock, chatId, Number(userId), signal)
    : await admitMember(call, chatId, Number(userId), signal);
  const after = await readOne(call, chatId, userId, signal);
  const isIn = after !== undefined && isInside(after);
  if (calls === 0 && !isIn) return { kind: 'gone' };
  if (isIn === leaves)
    return {
      kind: 'failed',
      reason: 'Telegram accepted the change, but it did not take effect.',
      retryAfterSeconds: 5,
    };
  return { kind: 'written', roleIds: isIn ? [memberRole] : [], calls, ...(leaves && { hasLeft: true }) };
}

const protectedReason =
  'Telegram does not let bots remove administrators. Remove this member’s administrator rights first.';

// Telegram treats less than half a minute as forever; this allows for clock drift.
const banSeconds = 300;

/** Removes a member who stays free to come back: the ban is lifted at once, and expires by itself if that call is lost. */
async function removeMember(
  call: TelegramCall,
  clock: Clock,
  chatId: string,
  userId: number,
  signal?: AbortSignal,
): Promise<number> {
  const until_date = Math.floor(clock().getTime() / 1000) + banSeconds;
  await call((api, abort) => api.banChatMember(chatId, userId, { until_date }, abort), signal);
  await call((api, abort) => api.unbanChatMember(chatId, userId, { only_if_banned: true }, abort), signal);
  return 2;
}

/** Only users with a pending join request can be admitted; for others there is nothing to call. */
async function admitMember(call: TelegramCall, chatId: string, userId: number, signal?: AbortSignal): Promise<number> {
  try {
    await call((api, abort) => api.approveChatJoinRequest(chatId, userId, abort), signal);
    return 1;
  } catch (error) {
    if (saysNoRequest(error)) return 0;
    throw error;
  }
}

/** Declines a join request. A user without a pending request is left alone. */
async function turnAway(
  call: TelegramCall,
  chatId: string,
  userId: number,
  signal?: AbortSignal,
): Promise<WriteOutcome> {
  try {
    await call((api, abort) => api.declineChatJoinRequest(chatId, userId, abort), signal);
    return { kind: 'written', roleIds: [], calls: 1, hasLeft: true };
  } catch (error) {
    if (saysNoRequest(error)) return { kind: 'gone' };
    throw error;
  }
}

function onlyOne({ add, remove }: MemberWrite): { roleId?: string } {
  const [roleId, ...others] = [...add, ...remove].filter((id) => id !== memberRole);
  return roleId === undefined || others.length > 0 ? {} : { roleId };
}

function outcomeOf(error: PlatformFailed): WriteOutcome {
  if (saysNobody(error)) return { kind: 'gone' };
  if (stopsEverything(error))
    return {
      kind: 'forbidden',
      scope: 'community',
      fault: error.kind === 'forbidden' ? 'refused' : 'no-access',
      advice: error.message,
    };
  const { message: reason, retryAfterSeconds } = error;
  return { kind: 'failed', reason, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}
