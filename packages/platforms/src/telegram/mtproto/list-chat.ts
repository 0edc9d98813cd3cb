import type { MemberListEnd, MemberRoles } from '@latchkey/core/ports';
import { tagPrefix } from '@latchkey/kernel';
import { Long, parseMarkedPeerId, type tl } from '@mtcute/core';
import { memberRole } from '../member.ts';
import type { MtprotoCall } from './client.ts';
import { MtprotoRefused } from './refusals.ts';

export interface MemberList {
  members: readonly MemberRoles[];
  end: MemberListEnd;
}

const pageSize = 200;
/** More pages than Telegram returns for any chat. */
const mostPages = 500;

/** Lists every member of a chat, as far as Telegram shows them to the bot. */
export async function listChat(call: MtprotoCall, chatId: string, signal?: AbortSignal): Promise<MemberList> {
  const [type, id] = parseMarkedPeerId(Number(chatId));
  if (type === 'channel') return listChannel(call, id, signal);
  if (type === 'chat') return listGroup(call, id, signal);
  throw new MtprotoRefused(400, 'CHAT_ID_INVALID');
}

/**
 * Lists a supergroup or a channel. The list is complete if it has every member that Telegram counts. Members who are muted or otherwise
 * restricted are on a separate list, which only administrators get.
 */
async function listChannel(call: MtprotoCall, channelId: number, signal?: AbortSignal): Promise<MemberList> {
  const channel = await findChannel(call, channelId, signal);
  const { fullChat } = await call({ _: 'channels.getFullChannel', channel }, signal);
  const members = new Map<string, MemberRoles>();
  const shown = await readPages(call, { channel, filter: { _: 'channelParticipantsRecent' } }, members, signal);
  // If members are hidden, the pages count only those they show.
  const expected = Math.max(shown, fullChat._ === 'channelFull' ? (fullChat.participantsCount ?? 0) : 0);
  if (members.size < expected) {
    try {
      await readPages(call, { channel, filter: { _: 'channelParticipantsBanned', q: '' } }, members, signal);
    } catch (error) {
      if (!(error instanceof MtprotoRefused) || error.kind !== 'forbidden') throw error;
    }
  }
  return { members: [...members.values()], end: endOf(members.size, expected) };
}

/** Reads one list to its end. Returns how many members Telegram says are on it. */
async function readPages(
  call: MtprotoCall,
  what: { channel: tl.RawInputChannel; filter: tl.TypeChannelParticipantsFilter },
  members: Map<string, MemberRoles>,
  signal?: AbortSignal,
): Promise<number> {
  let counted = 0;
  let offset = 0;
  for (let page = 0; page < mostPages; page++) {
    const range = { offset, limit: pageSize, hash: Long.ZERO };
    const answer = await call({ _: 'channels.getParticipants', ...what, ...range }, signal);
    if (answer._ !== 'channels.channelParticipants' || answer.participants.length === 0) break;
    const { count, participants } = answer;
    const users = new Map(answer.users.map((user) => [user.id, user]));
    for (const participant of participants) {
      const member = memberOf(participant, users);
      if (member) members.set(member.userId, member);
    }
    counted = Math.max(counted, count);
    offset += participants.length;
    if (offset >= count) break;
  }
  return counted;
}

/** Finds a channel. A bot can refer to a chat that it is in by its id alone, and gets the hash that further calls need. */
async function findChannel(call: MtprotoCall, channelId: number, signal?: AbortSignal): Promise<tl.RawInputChannel> {
  const unnamed = { _: 'inputChannel', channelId, accessHash: Long.ZERO } as const;
  const { chats } = await call({ _: 'channels.getChannels', id: [unnamed] }, signal);
  const chat = chats.find((one) => one.id === channelId);
  if (chat?._ !== 'channel') throw new MtprotoRefused(406, 'CHANNEL_PRIVATE');
  return { ...unnamed, accessHash: chat.accessHash ?? Long.ZERO };
}

/** Lists a basic group, which Telegram returns all at once or not at all. */
async function listGroup(call: MtprotoCall, chatId: number, signal?: AbortSignal): Promise<MemberList> {
  const { fullChat, users } = await call({ _: 'messages.getFullChat', chatId }, signal);
  if (fullChat._ !== 'chatFull' || fullChat.participants._ !== 'chatParticipants')
    return { members: [], end: { isComplete: false, reason: 'Telegram does not show the members of this group.' } };
  const byId = new Map(users.map((user) => [user.id, user]));
  const { participants } = fullChat.participants;
  const members = participants.map(({ _, userId }) => toMember(userId, byId, _ !== 'chatParticipant'));
  return { members, end: { isComplete: true } };
}

function memberOf(participant: tl.TypeChannelParticipant, users: Users): MemberRoles | undefined {
  switch (participant._) {
    case 'channelParticipantLeft':
      return undefined;
    case 'channelParticipantBanned': {
      const { peer, left, bannedRights } = participant;
      const isInside = !left && !bannedRights.viewMessages;
      return isInside && peer._ === 'peerUser' ? toMember(peer.userId, users, false) : undefined;
    }
    default: {
      const isAdmin = participant._ === 'channelParticipantCreator' || participant._ === 'channelParticipantAdmin';
      return toMember(participant.userId, users, isAdmin);
    }
  }
}

type Users = ReadonlyMap<number, tl.TypeUser>;

function toMember(id: number, users: Users, isProtected: boolean): MemberRoles {
  const user = users.get(id);
  const shown = user?._ === 'user' ? user : undefined;
  const userName = shown?.username ?? shown?.usernames?.find(({ active }) => active)?.username ?? shown?.firstName;
  return {
    userId: String(id),
    ...(userName !== undefined && { userName }),
    roleIds: [memberRole],
    // MTProto has tags only in newer layers than that of the client.
    unseenPrefix: tagPrefix,
    isBot: shown?.bot ?? false,
    isProtected,
  };
}

function endOf(listed: number, expected: number): MemberListEnd {
  if (listed >= expected) return { isComplete: true };
  return { isComplete: false, reason: `Telegram listed ${listed} of the ${expected} members of this chat.` };
}
