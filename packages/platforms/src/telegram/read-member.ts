import { parseEntries, parseEntry } from '@latchkey/adapter-kit';
import { MemberUnreadable } from '@latchkey/core/ports';
import type { TelegramCall } from './client.ts';
import { type ChatMember, parseChatMember } from './member.ts';
import { saysNobody } from './refusals.ts';

const aboutMembers = { source: 'telegram', kind: 'member' };

/** The administrators of a chat, and how many entries were malformed. */
export async function readAdmins(call: TelegramCall, chatId: string, signal?: AbortSignal) {
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

export function unreadable(): MemberUnreadable {
  return new MemberUnreadable('Telegram sent a member that could not be read.');
}

/** Reads one member; undefined if Telegram does not know the user. Throws `MemberUnreadable`. */
export async function readOne(
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

/** Reads the bot itself as a member of a chat. */
export async function readSelf(call: TelegramCall, chatId: string, signal?: AbortSignal): Promise<ChatMember> {
  const me = await call((api, abort) => api.getMe(abort), signal);
  if (!Number.isSafeInteger(me?.id)) throw unreadable();
  return parseOne(await call((api, abort) => api.getChatMember(chatId, me.id, abort), signal), me.id);
}
