import type { MemberRoles } from '@latchkey/core/ports';
import type { ChatMember } from 'grammy/types';

/** Being in the chat is the one role of Telegram. */
export const memberRole = 'member';

/** Whether somebody is in the chat, be it with fewer rights than others. */
export function isInside(member: ChatMember): boolean {
  return member.status === 'restricted' ? member.is_member : member.status !== 'left' && member.status !== 'kicked';
}

/** Telegram lets no bot remove an administrator or the owner. */
export function isProtected({ status }: ChatMember): boolean {
  return status === 'creator' || status === 'administrator';
}

/** Whether somebody may do by hand what the bot does by the rules: let people in and remove them. */
export function managesMembers(member: ChatMember): boolean {
  if (member.status === 'creator') return true;
  return member.status === 'administrator' && member.can_invite_users && member.can_restrict_members;
}

export function toMember(member: ChatMember): MemberRoles {
  const { user } = member;
  return {
    userId: String(user.id),
    userName: user.username ?? user.first_name,
    roleIds: [memberRole],
    isBot: user.is_bot,
    isProtected: isProtected(member),
  };
}
