import { fieldsOf, flagOf, Malformed, textOf } from '@latchkey/adapter-kit';
import type { MemberRoles, TelegramPerson } from '@latchkey/core/ports';

/** What the Bot API says of somebody in a chat, as far as something is decided by it. */
export interface ChatMember {
  user: TelegramPerson;
  status: 'creator' | 'administrator' | 'member' | 'restricted' | 'left' | 'kicked';
  /** Whether somebody with fewer rights is in the chat. */
  isMember: boolean;
  invites: boolean;
  restricts: boolean;
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
    isMember: given(member.is_member, status === 'restricted', 'whether somebody is in the chat'),
    invites: given(member.can_invite_users, isAdmin, 'whether somebody may invite'),
    restricts: given(member.can_restrict_members, isAdmin, 'whether somebody may remove members'),
  };
}

/** Throws `Malformed`. */
export function parsePerson(value: unknown): TelegramPerson {
  const { id, username, first_name: firstName, is_bot: isBot } = fieldsOf(value, 'a user');
  if (typeof isBot !== 'boolean') throw new Malformed('whether a user is a bot is missing');
  return { id: idOf(id, 'the id of a user'), name: textOf(username ?? firstName, 'the name of a user'), isBot };
}

/** Telegram's ids: whole numbers, negative ones for chats. Throws `Malformed`. */
export function idOf(value: unknown, what: string): string {
  if (!Number.isSafeInteger(value)) throw new Malformed(`${what} is not an id`);
  return String(value);
}

/** Being in the chat is the one role of Telegram. */
export const memberRole = 'member';

/** Whether somebody is in the chat, be it with fewer rights than others. */
export function isInside(member: ChatMember): boolean {
  return member.status === 'restricted' ? member.isMember : member.status !== 'left' && member.status !== 'kicked';
}

/** Telegram lets no bot remove an administrator or the owner. */
export function isProtected({ status }: Pick<ChatMember, 'status'>): boolean {
  return status === 'creator' || status === 'administrator';
}

/** Whether somebody may do by hand what the bot does by the rules: let people in and remove them. */
export function managesMembers(member: ChatMember): boolean {
  if (member.status === 'creator') return true;
  return member.status === 'administrator' && member.invites && member.restricts;
}

export function toMember(member: ChatMember): MemberRoles {
  const { user } = member;
  return {
    userId: user.id,
    userName: user.name,
    roleIds: [memberRole],
    isBot: user.isBot,
    isProtected: isProtected(member),
  };
}
