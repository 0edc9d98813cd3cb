import type { Misbehaviours } from '../misbehave.ts';
import { badRequest, forbidden, upgraded } from './errors.ts';
import type { Mailbox } from './mailbox.ts';
import type { Params } from './params.ts';
import type { Bot, Chat, Right, User } from './types.ts';
import type { Webhook, WebhookOptions } from './webhook.ts';
import type { World } from './world.ts';

/** The webhooks of all bots. */
export interface Webhooks {
  find(bot: Bot): Webhook | undefined;
  set(bot: Bot, options: WebhookOptions | undefined): void;
}

/** One call of a method by a bot. */
export interface Call {
  world: World;
  bot: Bot;
  mailbox: Mailbox;
  webhooks: Webhooks;
  method: string;
  params: Params;
  misbehaviours: Misbehaviours;
  /** Records that the call changed nothing: a bot that knows the state would not have made it. */
  changedNothing(): void;
  /** Records that success was returned but nothing done. */
  lostWrite(): void;
  /** Callback queries that wait for their answer. */
  queries: Map<string, (answer: { text?: string; showAlert: boolean }) => void>;
}

export type Method = (call: Call) => unknown;

/** Returns the requested chat, if the bot can reach it. */
export function chatOf(call: Call): Chat {
  const { world, bot, params } = call;
  const given = params.text('chat_id') ?? '';
  if (given === '') throw badRequest('chat_id is empty');
  const id = Number(given);
  if (id > 0) return directChat(call, id);
  const chat = given.startsWith('@')
    ? world.chats.values().find(({ username }) => username?.toLowerCase() === given.slice(1).toLowerCase())
    : world.chats.get(id);
  if (chat === undefined || !chat.members.has(bot.user.id)) throw badRequest('chat not found');
  if (chat.upgradedTo !== undefined) throw upgraded(chat.upgradedTo);
  const { status } = world.membershipOf(chat, bot.user.id);
  if (status === 'kicked') throw forbidden(`bot was kicked from the ${chat.type} chat`);
  if (status === 'left') throw forbidden(`bot is not a member of the ${chat.type} chat`);
  return chat;
}

function directChat({ world, bot }: Call, id: number): Chat {
  const chat = bot.direct.get(id);
  const isOpen = chat?.openUntilSeconds === undefined || chat.openUntilSeconds > world.nowSeconds();
  if (chat && isOpen) return chat;
  if (world.users.has(id)) throw forbidden("bot can't initiate conversation with a user");
  throw badRequest('chat not found');
}

/** Returns a group or a channel; a private chat has no members to manage. */
export function groupOf(call: Call): Chat {
  const chat = chatOf(call);
  if (chat.type === 'private') throw badRequest('method is available for supergroup and channel chats only');
  return chat;
}

export function userOf({ world, params }: Call): User {
  const user = world.users.get(params.number('user_id') ?? 0);
  if (user === undefined) throw badRequest('user not found');
  return user;
}

/** Throws unless the bot is an administrator with this right. */
export function needRight({ world, bot }: Call, chat: Chat, right: Right, refusal: string): void {
  const membership = world.membershipOf(chat, bot.user.id);
  if (membership.status === 'creator') return;
  if (membership.status !== 'administrator') throw badRequest('CHAT_ADMIN_REQUIRED');
  if (!membership.rights.has(right)) throw badRequest(refusal);
}
