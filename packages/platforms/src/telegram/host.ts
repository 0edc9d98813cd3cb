import {
  type MemberListEnd,
  type MemberRoles,
  PlatformFailed,
  type Refusal,
  type RoleHost,
} from '@latchkey/core/ports';
import { type Clock, isTagRole, type Log } from '@latchkey/kernel';
import type { TelegramCall } from './client.ts';
import type { ChatRecords } from './guard.ts';
import { isInside, isProtected, managesMembers, memberRole, toMember } from './member.ts';
import type { MemberList } from './mtproto/list-chat.ts';
import type { MemberLister } from './mtproto/member-lister.ts';
import { readAdmins, readOne, readSelf, unreadable } from './read-member.ts';
import { findTagFaults, settleTags, toTagRoles } from './tags.ts';
import { noSuchRole, outcomeOf, writeMember } from './write-member.ts';

export interface LoggedLister extends MemberLister {
  log: Log;
}

/**
 * Creates the role host of Telegram groups and channels. The Bot API has no list of members: without a lister, the known members are those
 * who joined or posted while the bot was there, and each is read by id.
 */
export function createTelegramHost(
  call: TelegramCall,
  { clock, records, lister }: { clock: Clock; records: ChatRecords; lister?: LoggedLister | undefined },
): RoleHost {
  return {
    platform: 'telegram',
    writesAtOnce: 4,
    listsEveryone: false,
    readRoles: async (chatId) => [
      { id: memberRole, name: 'Member', position: 0 },
      ...toTagRoles(await records.readTagRoles(chatId)),
    ],
    settle: settleTags,
    readMember: async (chatId, userId, signal) => {
      const member = await readOne(call, chatId, userId, signal);
      return member && isInside(member) ? toMember(member) : undefined;
    },
    readMembers: async function* (chatId, signal): AsyncGenerator<readonly MemberRoles[], MemberListEnd> {
      yield (await readAdmins(call, chatId, signal)).admins.map(toMember);
      if (lister === undefined) return { isComplete: false, reason: unlisted };
      const { members, end } = await listOrReport(lister, chatId, signal);
      for (let from = 0; from < members.length; from += pageMembers) yield members.slice(from, from + pageMembers);
      return end;
    },
    findFaults: (chatId, roleIds, signal) => findFaults(call, chatId, roleIds, signal),
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
        return await writeMember(call, { clock, records }, write, signal);
      } catch (error) {
        if (error instanceof PlatformFailed) return outcomeOf(error);
        throw error;
      }
    },
  };
}

const powerless = {
  scope: 'community',
  fault: 'permission',
  advice: 'Make the bot an administrator of the chat with permission to invite and ban users.',
} as const;

/** What prevents roles from being given. The exact rights of the bot to invite and ban only show on use. */
async function findFaults(
  call: TelegramCall,
  chatId: string,
  roleIds: readonly string[],
  signal?: AbortSignal,
): Promise<readonly Refusal[]> {
  const tags = roleIds.filter(isTagRole);
  // The form of a tag is known without Telegram, also during an outage.
  const malformed = findTagFaults(tags, { managesTags: true, isGroup: true });
  if (malformed.length > 0) return malformed;
  const bot = await readSelf(call, chatId, signal);
  const isGroup =
    tags.length > 0 && (await call((api, abort) => api.getChat(chatId, abort), signal)).type !== 'channel';
  return [
    ...(isProtected(bot) ? [] : [powerless]),
    ...findTagFaults(tags, { managesTags: bot.managesTags, isGroup }),
    ...roleIds.filter((id) => id !== memberRole && !isTagRole(id)).map((roleId) => ({ ...noSuchRole, roleId })),
  ];
}

/** How many members are returned at a time. */
const pageMembers = 1_000;

const unlisted =
  'Only members who joined, posted or manage the chat are known. Set LATCHKEY_TELEGRAM_API_ID and LATCHKEY_TELEGRAM_API_HASH to list everyone.';

/** Lists the members. If that fails, continues with known members, as without a lister, and logs why. */
async function listOrReport({ list, log }: LoggedLister, chatId: string, signal?: AbortSignal): Promise<MemberList> {
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
