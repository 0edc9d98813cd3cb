import { type Call, groupOf, type Method, needRight, userOf } from '../call.ts';
import { badRequest } from '../errors.ts';
import type { Chat, InviteLink, JoinQuery, User } from '../types.ts';
import { viewLink } from '../views.ts';

const mostMembers = 99_999;

export const inviteMethods: Readonly<Record<string, Method>> = {
  createChatInviteLink: (call) => {
    const chat = inviting(call);
    return viewLink(addLink(call, chat, false));
  },
  exportChatInviteLink: (call) => {
    const chat = inviting(call);
    for (const link of chat.links.values()) {
      if (link.isPrimary && link.creator.id === call.bot.user.id) link.isRevoked = true;
    }
    return addLink(call, chat, true).url;
  },
  revokeChatInviteLink: (call) => {
    const chat = inviting(call);
    const link = chat.links.get(call.params.text('invite_link') ?? '');
    if (link === undefined) throw badRequest('INVITE_HASH_INVALID');
    // A bot can revoke only its own links.
    if (link.creator.id !== call.bot.user.id) throw badRequest('CHAT_ADMIN_REQUIRED');
    if (link.isRevoked) call.changedNothing();
    link.isRevoked = true;
    return viewLink(link);
  },
  approveChatJoinRequest: (call) => decide(call, true),
  declineChatJoinRequest: (call) => decide(call, false),
  sendChatJoinRequestWebApp: (call) => {
    const query = openQuery(call);
    const url = call.params.text('web_app_url') ?? '';
    // The real service requires HTTPS; the emulator also accepts local servers without it.
    if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw badRequest('WEBAPP_URL_INVALID');
    query.pageUrl = url;
    query.expiresAtMs = call.world.clock() + call.world.pageMs;
    return true;
  },
  answerChatJoinRequestQuery: (call) => {
    const { chat, user, link, id } = openQuery(call);
    const result = call.params.text('result') ?? '';
    if (!['approve', 'decline', 'queue'].includes(result)) throw badRequest('wrong result specified');
    if (call.misbehaviours.strike('lost-write', call.method)) {
      call.lostWrite();
      return true;
    }
    call.world.joinQueries.delete(id);
    if (result === 'queue') chat.requests.set(user.id, link);
    else endRequest(call, chat, user, link, result === 'approve');
    return true;
  },
};

function inviting(call: Call): Chat {
  const chat = groupOf(call);
  needRight(call, chat, 'can_invite_users', 'not enough rights to manage chat invite link');
  return chat;
}

function addLink(call: Call, chat: Chat, isPrimary: boolean): InviteLink {
  const { params, world, bot } = call;
  const memberLimit = params.number('member_limit') || undefined;
  const expiresAtSeconds = params.number('expire_date') || undefined;
  const name = params.text('name');
  const createsJoinRequest = params.flag('creates_join_request');
  if (memberLimit !== undefined && (memberLimit < 1 || memberLimit > mostMembers)) {
    throw badRequest('USAGE_LIMIT_INVALID');
  }
  if (createsJoinRequest && memberLimit !== undefined) {
    throw badRequest("member limit can't be specified for links requiring administrator approval");
  }
  if (expiresAtSeconds !== undefined && expiresAtSeconds <= world.nowSeconds()) throw badRequest('EXPIRE_DATE_INVALID');
  if (name !== undefined && name.length > 32) throw badRequest('invite link name is too long');
  const link: InviteLink = {
    url: `https://t.me/+${world.nextToken('invite').slice(0, 16)}`,
    chatId: chat.id,
    creator: bot.user,
    ...(name ? { name } : {}),
    ...(expiresAtSeconds === undefined ? {} : { expiresAtSeconds }),
    ...(memberLimit === undefined ? {} : { memberLimit }),
    createsJoinRequest,
    isPrimary,
    isRevoked: false,
    used: 0,
  };
  chat.links.set(link.url, link);
  world.links.set(link.url, link);
  return link;
}

function decide(call: Call, isWelcome: boolean): true {
  const chat = inviting(call);
  const user = userOf(call);
  if (call.world.isIn(chat, user.id)) throw badRequest('USER_ALREADY_PARTICIPANT');
  call.world.openJoinQueries();
  if (!chat.requests.has(user.id)) throw badRequest('HIDE_REQUESTER_MISSING');
  if (call.misbehaviours.strike('lost-write', call.method)) {
    call.lostWrite();
    return true;
  }
  const link = chat.requests.get(user.id);
  chat.requests.delete(user.id);
  endRequest(call, chat, user, link, isWelcome);
  return true;
}

function openQuery({ world, bot, params }: Call): JoinQuery {
  const query = world.openJoinQueries().find(({ id }) => id === params.text('chat_join_request_query_id'));
  if (query?.bot !== bot) throw badRequest('QUERY_ID_INVALID');
  return query;
}

function endRequest(call: Call, chat: Chat, user: User, link: InviteLink | undefined, isWelcome: boolean): void {
  // After a join request is answered, the bot can no longer write to the requester.
  const direct = call.bot.direct.get(user.id);
  if (direct?.openUntilSeconds !== undefined) direct.openUntilSeconds = call.world.nowSeconds();
  if (isWelcome) {
    if (link) link.used += 1;
    call.world.setMembership(chat, user, { status: 'member' }, { from: call.bot.user, link, viaRequest: true });
  }
}
