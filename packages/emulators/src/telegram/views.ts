import type { Chat, InviteLink, Membership, Message, User } from './types.ts';
import { permissions, rights } from './types.ts';

export function viewUser({ id, firstName, username, isBot, language = 'en' }: User) {
  return {
    id,
    is_bot: isBot,
    first_name: firstName,
    ...(username === undefined ? {} : { username }),
    ...(isBot ? {} : { language_code: language }),
  };
}

export function viewChat({ id, type, title, username }: Chat) {
  const name = type === 'private' ? { first_name: title } : { title };
  return { id, type, ...name, ...(username === undefined ? {} : { username }) };
}

export function viewMember(user: User, membership: Membership, botId: number) {
  const base = { user: viewUser(user), status: membership.status };
  switch (membership.status) {
    case 'creator':
      return { ...base, is_anonymous: false };
    case 'administrator':
      return {
        ...base,
        can_be_edited: membership.promotedBy === botId,
        is_anonymous: false,
        ...Object.fromEntries(rights.map((right) => [right, membership.rights.has(right)])),
        can_post_stories: false,
        can_edit_stories: false,
        can_delete_stories: false,
        can_send_welcome_messages: false,
        ...(membership.title === undefined ? {} : { custom_title: membership.title }),
      };
    case 'restricted':
      return {
        ...base,
        ...(membership.tag ? { tag: membership.tag } : {}),
        is_member: membership.isMember,
        until_date: membership.untilSeconds,
        ...Object.fromEntries(permissions.map((permission) => [permission, membership.allowed.has(permission)])),
      };
    case 'kicked':
      return { ...base, until_date: membership.untilSeconds };
    case 'member':
      return { ...base, ...(membership.tag ? { tag: membership.tag } : {}) };
    case 'left':
      return base;
  }
}

/** Only its creator sees a link to its end. */
export function viewLink(link: InviteLink, readerId: number = link.creator.id) {
  const isOwn = link.creator.id === readerId;
  return {
    invite_link: isOwn ? link.url : `${link.url.slice(0, -8)}...`,
    creator: viewUser(link.creator),
    creates_join_request: link.createsJoinRequest,
    is_primary: link.isPrimary,
    is_revoked: link.isRevoked,
    ...(link.name === undefined ? {} : { name: link.name }),
    ...(link.expiresAtSeconds === undefined ? {} : { expire_date: link.expiresAtSeconds }),
    ...(link.memberLimit === undefined ? {} : { member_limit: link.memberLimit }),
  };
}

export function viewMessage(message: Message) {
  const { text, replyMarkup, joined, gone, upgradedTo, upgradedFrom, editedSeconds, replyTo, chat } = message;
  const original = replyTo === undefined ? undefined : chat.messages.get(replyTo);
  const isService = [joined, gone, upgradedTo, upgradedFrom].some((subject) => subject !== undefined);
  const entities = entitiesOf(text);
  return {
    message_id: message.id,
    from: viewUser(message.from),
    chat: viewChat(chat),
    date: message.dateSeconds,
    ...(editedSeconds === undefined ? {} : { edit_date: editedSeconds }),
    ...(isService ? {} : { text }),
    ...(isService || entities.length === 0 ? {} : { entities }),
    ...(replyMarkup === undefined ? {} : { reply_markup: replyMarkup }),
    ...(original === undefined ? {} : { reply_to_message: { ...flat(original) } }),
    ...(joined === undefined ? {} : { new_chat_members: joined.map(viewUser) }),
    ...(gone === undefined ? {} : { left_chat_member: viewUser(gone) }),
    ...(upgradedTo === undefined ? {} : { migrate_to_chat_id: upgradedTo }),
    // Telegram posts this one in the name of the supergroup.
    ...(upgradedFrom === undefined ? {} : { migrate_from_chat_id: upgradedFrom, sender_chat: viewChat(chat) }),
  };
}

const flat = (message: Message) => ({
  message_id: message.id,
  from: viewUser(message.from),
  chat: viewChat(message.chat),
  date: message.dateSeconds,
  text: message.text,
});

/** Returns commands and links as entities, by which clients find them instead of parsing the text. */
function entitiesOf(text: string) {
  return [...text.matchAll(/(?<=^|\s)(\/[a-z0-9_]{1,32}(?:@\w+)?)|https?:\/\/\S+/gi)].map((match) => ({
    type: match[1] === undefined ? 'url' : 'bot_command',
    offset: match.index,
    length: match[0].length,
  }));
}
