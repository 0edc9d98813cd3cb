import type { Bot, Chat, Membership, User } from '../types.ts';
import type { World } from '../world.ts';
import type { TlObject } from './tl.ts';

/** The id of a chat as MTProto counts: without the mark that the Bot API puts before it. */
export function bareIdOf({ id, type }: Chat): number {
  return type === 'group' ? -id : Number(String(id).replace(/^-100/, ''));
}

/** What one bot needs to name a channel; another one gets another number. */
export function accessHashOf(world: World, chat: Chat, bot: Bot): bigint {
  return world.derive(`access hash ${chat.id} ${bot.user.id}`).readBigInt64LE();
}

export function viewUser({ id, firstName, username, isBot }: User, { self = false } = {}): TlObject {
  return {
    _: 'user',
    id,
    self,
    bot: isBot,
    access_hash: BigInt(id),
    first_name: firstName,
    ...(username !== undefined && { username }),
    ...(isBot && { bot_info_version: 1 }),
  };
}

export function viewChannel(world: World, chat: Chat, bot: Bot): TlObject {
  return {
    _: 'channel',
    id: bareIdOf(chat),
    access_hash: accessHashOf(world, chat, bot),
    title: chat.title,
    broadcast: chat.type === 'channel',
    megagroup: chat.type === 'supergroup',
    photo: { _: 'chatPhotoEmpty' },
    date: 0,
    ...(chat.username !== undefined && { username: chat.username }),
  };
}

const noRights: TlObject = { _: 'chatAdminRights' };

/** How a list of a channel shows somebody; who is muted is shown with what is forbidden. */
export function viewParticipant(userId: number, membership: Membership, isSelf: boolean): TlObject {
  switch (membership.status) {
    case 'creator':
      return { _: 'channelParticipantCreator', user_id: userId, admin_rights: noRights };
    case 'administrator':
      return {
        _: 'channelParticipantAdmin',
        user_id: userId,
        promoted_by: membership.promotedBy,
        date: 0,
        admin_rights: noRights,
        ...(isSelf && { self: true, inviter_id: membership.promotedBy }),
      };
    case 'restricted':
      return {
        _: 'channelParticipantBanned',
        left: !membership.isMember,
        peer: { _: 'peerUser', user_id: userId },
        kicked_by: userId,
        date: 0,
        banned_rights: { _: 'chatBannedRights', send_messages: true, until_date: membership.untilSeconds },
      };
    case 'kicked':
    case 'left':
      return { _: 'channelParticipantLeft', peer: { _: 'peerUser', user_id: userId } };
    default:
      return isSelf
        ? { _: 'channelParticipantSelf', user_id: userId, inviter_id: userId, date: 0 }
        : { _: 'channelParticipant', user_id: userId, date: 0 };
  }
}
