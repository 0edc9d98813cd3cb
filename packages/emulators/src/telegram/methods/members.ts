import { type Call, groupOf, type Method, needRight, userOf } from '../call.ts';
import { badRequest } from '../errors.ts';
import { type Chat, type Membership, permissions, type Right, rights, type User } from '../types.ts';
import { viewMember } from '../views.ts';

const shortestSeconds = 30;
const longestSeconds = 366 * 86_400;
const longestTag = 16;

/** Managing users. No method lists them, as on Telegram. */
export const memberMethods: Readonly<Record<string, Method>> = {
  getChatMember: (call) => {
    const chat = groupOf(call);
    const user = userOf(call);
    if (user.id !== call.bot.user.id && !call.world.isAdministrator(chat, call.bot.user.id)) {
      throw badRequest('CHAT_ADMIN_REQUIRED');
    }
    return viewMember(user, call.world.membershipOf(chat, user.id), call.bot.user.id);
  },
  getChatAdministrators: (call) => {
    const chat = groupOf(call);
    return [...chat.members.keys()]
      .filter((id) => call.world.isAdministrator(chat, id))
      .flatMap((id) => call.world.users.get(id) ?? [])
      .filter((user) => !user.isBot || user.id === call.bot.user.id)
      .map((user) => viewMember(user, call.world.membershipOf(chat, user.id), call.bot.user.id));
  },
  getChatMemberCount: (call) => {
    const chat = groupOf(call);
    return chat.members
      .keys()
      .filter((id) => call.world.isIn(chat, id))
      .toArray().length;
  },
  banChatMember: (call) => {
    const { chat, user, membership } = target(call);
    const untilSeconds = readUntil(call);
    const isSame = membership.status === 'kicked' && membership.untilSeconds === untilSeconds;
    return change(call, chat, user, isSame ? undefined : { status: 'kicked', untilSeconds });
  },
  unbanChatMember: (call) => {
    const { chat, user, membership } = target(call);
    const isIn = call.world.isIn(chat, user.id);
    if (call.params.flag('only_if_banned') && membership.status !== 'kicked')
      return change(call, chat, user, undefined);
    return change(call, chat, user, isIn || membership.status === 'kicked' ? { status: 'left' } : undefined);
  },
  restrictChatMember: (call) => {
    const { chat, user } = target(call);
    if (chat.type !== 'supergroup') throw badRequest('method is available only for supergroups');
    const wanted = Object(call.params.object('permissions') ?? {});
    const allowed = new Set(permissions.filter((name) => wanted[name] === true));
    const isMember = call.world.isIn(chat, user.id);
    if (allowed.size === permissions.length) {
      return change(call, chat, user, isMember ? { status: 'member' } : { status: 'left' });
    }
    return change(call, chat, user, { status: 'restricted', isMember, allowed, untilSeconds: readUntil(call) });
  },
  promoteChatMember: (call) => promote(call),
  setChatAdministratorCustomTitle: (call) => {
    const chat = groupOf(call);
    const user = userOf(call);
    const membership = call.world.membershipOf(chat, user.id);
    const title = call.params.text('custom_title') ?? '';
    if (membership.status !== 'administrator') throw badRequest('user is not an administrator');
    if (membership.promotedBy !== call.bot.user.id) {
      throw badRequest('not enough rights to change custom title of the user');
    }
    if (title.length > 16) throw badRequest('ADMIN_RANK_INVALID');
    return change(call, chat, user, { ...membership, title });
  },
  setChatMemberTag: (call) => {
    const chat = groupOf(call);
    if (chat.type === 'channel') throw badRequest('method is available only for groups and supergroups');
    needRight(call, chat, 'can_manage_tags', 'not enough rights to manage member tags');
    const user = userOf(call);
    const membership = call.world.membershipOf(chat, user.id);
    // Telegram answers with this if the member is an administrator, whatever rights the bot has.
    if (call.world.isAdministrator(chat, user.id)) throw badRequest('CHAT_CREATOR_REQUIRED');
    if (!call.world.isIn(chat, user.id)) throw badRequest('PARTICIPANT_ID_INVALID');
    const tag = call.params.text('tag') ?? '';
    if (tag.length > longestTag || /\p{Extended_Pictographic}/u.test(tag)) throw badRequest('RANK_INVALID');
    if (membership.status !== 'member' && membership.status !== 'restricted')
      throw badRequest('PARTICIPANT_ID_INVALID');
    const { tag: before = '', ...rest } = membership;
    return change(call, chat, user, tag === before ? undefined : { ...rest, ...(tag === '' ? {} : { tag }) });
  },
  leaveChat: (call) => {
    const chat = groupOf(call);
    return change(call, chat, call.bot.user, { status: 'left' });
  },
};

/** Returns the target member if the bot may remove them: not itself, not the owner, not another administrator. */
function target(call: Call): { chat: Chat; user: User; membership: Membership } {
  const chat = groupOf(call);
  needRight(call, chat, 'can_restrict_members', 'not enough rights to restrict/unrestrict chat member');
  const user = userOf(call);
  const membership = call.world.membershipOf(chat, user.id);
  if (user.id === call.bot.user.id) throw badRequest("can't restrict self");
  if (membership.status === 'creator') throw badRequest("can't remove chat owner");
  if (membership.status === 'administrator') throw badRequest('user is an administrator of the chat');
  return { chat, user, membership };
}

/** Less than half a minute or more than a year from now means forever. */
function readUntil({ params, world }: Call): number {
  const until = params.number('until_date') ?? 0;
  const seconds = until - world.nowSeconds();
  return seconds < shortestSeconds || seconds > longestSeconds ? 0 : until;
}

function change(call: Call, chat: Chat, user: User, next: Membership | undefined): true {
  if (next === undefined) call.changedNothing();
  else if (call.misbehaviours.strike('lost-write', call.method)) call.lostWrite();
  else call.world.setMembership(chat, user, next, { from: call.bot.user });
  return true;
}

function promote(call: Call): true {
  const chat = groupOf(call);
  needRight(call, chat, 'can_promote_members', 'not enough rights');
  const user = userOf(call);
  const membership = call.world.membershipOf(chat, user.id);
  if (membership.status === 'creator') throw badRequest("can't remove chat owner");
  if (membership.status === 'administrator' && membership.promotedBy !== call.bot.user.id) {
    throw badRequest('CHAT_ADMIN_REQUIRED');
  }
  if (!call.world.isIn(chat, user.id)) throw badRequest('USER_NOT_PARTICIPANT');
  const wanted = new Set<Right>(rights.filter((right) => call.params.flag(right)));
  const own = call.world.membershipOf(chat, call.bot.user.id);
  const mayGive = (right: Right) =>
    own.status === 'creator' || (own.status === 'administrator' && own.rights.has(right));
  // A bot cannot grant more rights than it has.
  if (![...wanted].every(mayGive)) throw badRequest('RIGHT_FORBIDDEN');
  if (wanted.size === 0) return change(call, chat, user, { status: 'member' });
  wanted.add('can_manage_chat');
  return change(call, chat, user, { status: 'administrator', rights: wanted, promotedBy: call.bot.user.id });
}
