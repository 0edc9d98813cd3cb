import { fieldsOf, flagOf, Malformed, textOf } from '@latchkey/adapter-kit';
import type { MemberRoles, TelegramPerson } from '@latchkey/core/ports';
import { tagRolesIn } from './tags.ts';

/** The fields of a Bot API chat member that decisions are based on. */
export interface ChatMember {
  user: TelegramPerson;
  status: 'creator' | 'administrator' | 'member' | 'restricted' | 'left' | 'kicked';
  /** Whether a restricted user is in the chat. */
  isMember: boolean;
  invites: boolean;
  restricts: boolean;
  managesTags: boolean;
  /** Shown beside the name of a regular member. */
  tag: string;
}

const statuses: readonly ChatMember['status'][] = [
  'creator',
  'administrator',
  'member',
  'restricted',
  'left',
  'kicked',
];

/** Throws `Malformed`. */
export function parseChatMember(value: unknown): ChatMember {
  const member = fieldsOf(value, 'a member');
  const status = statuses.find((known) => known === member.status);
  if (status === undefined) throw new Malformed('the status of a member is not known');
  const given = (flag: unknown, isNeeded: boolean, what: string) => {
    if (flag === undefined && isNeeded) throw new Malformed(`${what} is missing`);
    return flagOf(flag, what);
  };
  const isAdmin = status === 'administrator';
  return {
    user: parsePerson(member.user),
    status,
    isMember: given(member.is_member, status === 'restricted', 'whether the user is in the chat'),
    invites: given(member.can_invite_users, isAdmin, 'whether the user may invite'),
    restricts: given(member.can_restrict_members, isAdmin, 'whether the user may remove members'),
    managesTags: given(member.can_manage_tags, false, 'whether the user may change tags'),
    tag: textOf(member.tag ?? '', 'the tag of a member'),
  };
}

/** Throws `Malformed`. */
export function parsePerson(value: unknown): TelegramPerson {
  const { id, username, first_name: firstName, is_bot: isBot, language_code: language } = fieldsOf(value, 'a user');
  if (typeof isBot !== 'boolean') throw new Malformed('whether a user is a bot is missing');
  return {
    id: idOf(id, 'the id of a user'),
    name: textOf(username ?? firstName, 'the name of a user'),
    isBot,
    ...(typeof language === 'string' && language !== 'en' && { language }),
  };
}

/** Parses a Telegram id: an integer, negative for chats. Throws `Malformed`. */
export function idOf(value: unknown, what: string): string {
  if (!Number.isSafeInteger(value)) throw new Malformed(`${what} is not an id`);
  return String(value);
}

/** Being in the chat is a role; the others are tags, which only members have. */
export const memberRole = 'member';

/** Whether the user is in the chat, restricted or not. */
export function isInside(member: ChatMember): boolean {
  return member.status === 'restricted' ? member.isMember : member.status !== 'left' && member.status !== 'kicked';
}

/** Telegram does not let bots remove an administrator or the owner. */
export function isProtected({ status }: Pick<ChatMember, 'status'>): boolean {
  return status === 'creator' || status === 'administrator';
}

/** Whether the user may do manually what the bot does by rules: add and remove members. */
export function managesMembers(member: ChatMember): boolean {
  if (member.status === 'creator') return true;
  return member.status === 'administrator' && member.invites && member.restricts;
}

export function toMember(member: ChatMember): MemberRoles {
  const { user } = member;
  return {
    userId: user.id,
    userName: user.name,
    roleIds: [memberRole, ...tagRolesIn(member.tag)],
    isBot: user.isBot,
    isProtected: isProtected(member),
  };
}
