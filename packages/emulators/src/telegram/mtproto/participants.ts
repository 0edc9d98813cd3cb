import type { Bot, Chat, User } from '../types.ts';
import type { World } from '../world.ts';
import { RpcRefused } from './refused.ts';
import type { TlObject } from './tl.ts';
import { bareIdOf, viewChannel, viewParticipant, viewUser } from './views.ts';

const pageSize = 200;
/** Telegram does not publish how far lists go; this is what clients have observed. */
const mostOf = { supergroup: 10_000, channel: 200 } as const;

const settings: TlObject = { _: 'peerNotifySettings' };

/**
 * A page of the members. Of a group that hides them, only administrators see more than administrators and bots. The
 * readers of a channel are for its administrators. Who is restricted is on a list of their own, as clients report.
 */
export function listParticipants(
  world: World,
  chat: Chat,
  bot: Bot,
  { filter, offset, limit }: { filter: string; offset: number; limit: number },
): TlObject {
  const isAdmin = world.isAdministrator(chat, bot.user.id);
  const isRestricted = (id: number) => world.membershipOf(chat, id).status === 'restricted';
  const wantsRestricted = filter === 'channelParticipantsBanned';
  if ((chat.type === 'channel' || wantsRestricted) && !isAdmin) throw new RpcRefused(400, 'CHAT_ADMIN_REQUIRED');
  const isShown = ({ id, isBot }: User) => isAdmin || !chat.hidesMembers || isBot || world.isAdministrator(chat, id);
  const everyone = wantsRestricted
    ? usersOf(world, [...chat.members.keys()].filter(isRestricted))
    : insideOf(world, chat).filter((user) => isShown(user) && !isRestricted(user.id));
  const reachable = everyone.slice(0, mostOf[chat.type === 'channel' ? 'channel' : 'supergroup']);
  const page = reachable.slice(offset, offset + Math.min(limit, pageSize));
  return {
    _: 'channels.channelParticipants',
    count: everyone.length,
    participants: page.map(({ id }) => viewParticipant(id, world.membershipOf(chat, id), id === bot.user.id)),
    chats: [],
    users: page.map((user) => viewUser(user)),
  };
}

export function showFullChannel(world: World, chat: Chat, bot: Bot): TlObject {
  const full = {
    _: 'channelFull',
    id: bareIdOf(chat),
    about: '',
    participants_count: insideOf(world, chat).length,
    participants_hidden: chat.hidesMembers === true,
    can_view_participants: world.isAdministrator(chat, bot.user.id) || !chat.hidesMembers,
    read_inbox_max_id: 0,
    read_outbox_max_id: 0,
    unread_count: 0,
    chat_photo: { _: 'photoEmpty', id: 0n },
    notify_settings: settings,
    bot_info: [],
    pts: 1,
  };
  return { _: 'messages.chatFull', full_chat: full, chats: [viewChannel(world, chat, bot)], users: [] };
}

/** A plain group, whose members come all at once. */
export function showFullGroup(world: World, chat: Chat, bot: Bot): TlObject {
  if (!world.isIn(chat, bot.user.id)) throw new RpcRefused(400, 'CHAT_ID_INVALID');
  const members = insideOf(world, chat);
  const participants = members.map(({ id }): TlObject => {
    const { status } = world.membershipOf(chat, id);
    if (status === 'creator') return { _: 'chatParticipantCreator', user_id: id };
    const _ = status === 'administrator' ? 'chatParticipantAdmin' : 'chatParticipant';
    return { _, user_id: id, inviter_id: id, date: 0 };
  });
  const id = bareIdOf(chat);
  const full = {
    _: 'chatFull',
    id,
    about: '',
    participants: { _: 'chatParticipants', chat_id: id, participants, version: 1 },
    notify_settings: settings,
  };
  return { _: 'messages.chatFull', full_chat: full, chats: [], users: members.map((user) => viewUser(user)) };
}

function insideOf(world: World, chat: Chat): User[] {
  return usersOf(
    world,
    [...chat.members.keys()].filter((id) => world.isIn(chat, id)),
  );
}

function usersOf(world: World, ids: readonly number[]): User[] {
  return ids.flatMap((id) => world.users.get(id) ?? []);
}
