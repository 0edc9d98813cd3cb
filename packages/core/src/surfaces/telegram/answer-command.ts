import { AppError, addSeconds } from '@latchkey/kernel';
import { communitiesOfAdmin } from '../../communities/community/index.ts';
import { type CommunityRow, selectActiveAmong, selectCommunity } from '../../communities/community-records/index.ts';
import { selectCommunitiesOf } from '../../communities/memberships/index.ts';
import { applyNow } from '../../gating/role-changes/index.ts';
import { PlatformFailed, type TelegramEvent, type TelegramPost } from '../../ports/index.ts';
import { type Context, contextFor } from '../../shared/context.ts';
import { adminMessages, messagesIn } from '../../shared/messages/index.ts';
import { communityKey, userKey } from '../../shared/qualified-ids.ts';
import {
  answer,
  type BotAnswer,
  communityOfChangeSet,
  findMember,
  isAdminCommand,
  plainName,
  refusalInWords,
  requireAdmin,
  runAdminCommand,
  whyNot,
  whyRoles,
  wordsOf,
} from '../bot-replies/index.ts';
import { invitationName } from '../telegram-gate/index.ts';
import { connectLink, groupToLinkFor } from './connect-link.ts';
import { describeRefusal, evaluateJoinRequest } from './evaluate-join-request.ts';
import { sendMessage } from './send-message.ts';

export interface ReceivedCommand {
  chatId: string;
  isPrivate: boolean;
  userId: string;
  command: string;
  argument: string;
  /** The author of the message that the command replies to. */
  aboutId?: string | undefined;
  /** The button press that sent the command. */
  pressId?: string | undefined;
}

export const inviteTtlSeconds = 15 * 60;

/** Whether the bot replies to this command; others are ignored. */
export function isOwnCommand({ isPrivate, command }: Extract<TelegramEvent, { kind: 'command' }>): boolean {
  if (isAdminCommand(command) || command === 'why') return true;
  return isPrivate ? command === 'start' || command === 'connect' : command === 'check';
}

/** Replies to a command. */
export async function answerCommand(ctx: Context, received: ReceivedCommand, signal: AbortSignal): Promise<void> {
  if (ctx.telegram === undefined) return;
  const question =
    received.command === 'start' && received.argument === 'changes'
      ? { ...received, command: 'changes', argument: '' }
      : received;
  if (question.command === 'why' || isAdminCommand(question.command)) return answerQuestion(ctx, question, signal);
  if (!received.isPrivate) {
    // Answered first: afterwards the sender may be out of the chat.
    await answerQuestion(ctx, { ...received, command: 'why', argument: '', aboutId: undefined }, signal);
    return checkSpeaker(ctx, received);
  }
  const groupId = received.command === 'start' ? groupToLinkFor(received.argument) : undefined;
  if (groupId !== undefined) return answerLinkRequest(ctx, received, groupId, signal);
  if (received.command === 'start' && received.argument !== '') return answerJoinRequest(ctx, received, signal);
  const words = messagesIn(ctx.locale)('telegram.start');
  await sendMessage(ctx, received.chatId, words, await connectLink(ctx, received.userId), signal);
}

/** `/check` in a chat: checks the sender, as a resync would. The reply is that of `/why`. */
async function checkSpeaker(ctx: Context, { chatId, userId }: ReceivedCommand): Promise<void> {
  const community = await selectCommunity(ctx.db.system, communityKey('telegram', chatId));
  if (community?.status !== 'active') return;
  await applyNow(ctx, community, userKey('telegram', userId), { liftSuppressions: false });
}

/** `/start link<chat>`: the button of the join message, which leads to the member's roles in that group. */
async function answerLinkRequest(
  ctx: Context,
  { chatId, userId }: ReceivedCommand,
  groupId: string,
  signal: AbortSignal,
): Promise<void> {
  const community = await selectCommunity(ctx.db.system, communityKey('telegram', groupId));
  const t = messagesIn(ctx.locale);
  if (community?.status !== 'active') return sendMessage(ctx, chatId, t('telegram.chatNotFound'), undefined, signal);
  const words = t('telegram.linkFor', { chat: community.name });
  await sendMessage(ctx, chatId, words, await connectLink(ctx, userId, community.id), signal);
}

/** `/start <chat>`: an invitation for this person alone, if the rules say so. */
async function answerJoinRequest(ctx: Context, received: ReceivedCommand, signal: AbortSignal): Promise<void> {
  const t = messagesIn(ctx.locale);
  const community = await selectCommunity(ctx.db.system, communityKey('telegram', received.argument));
  if (community?.status !== 'active')
    return sendMessage(ctx, received.chatId, t('telegram.chatNotFound'), undefined, signal);
  const join = await evaluateJoinRequest(ctx, community, received.userId, signal);
  switch (join.truth) {
    case 'true':
      return invite(ctx, received, community, signal);
    case 'false': {
      const words = await describeRefusal(ctx, community, join);
      return sendMessage(ctx, received.chatId, words, await connectLink(ctx, received.userId, community.id), signal);
    }
    case 'unknown':
      return sendMessage(ctx, received.chatId, t('telegram.cannotCheck'), undefined, signal);
    case 'unruled':
      return sendMessage(ctx, received.chatId, t('telegram.noRules', { chat: community.name }), undefined, signal);
  }
}

async function invite(
  ctx: Context,
  received: ReceivedCommand,
  community: CommunityRow,
  signal: AbortSignal,
): Promise<void> {
  const expiresAt = addSeconds(ctx.clock(), inviteTtlSeconds);
  const options = { name: invitationName(received.userId), expiresAt };
  const t = messagesIn(ctx.locale);
  try {
    const url = await ctx.telegram?.createInvite(community.community_id, options, signal);
    const button = url === undefined ? undefined : { text: t('telegram.join', { chat: community.name }), url };
    const words = t('telegram.invitation', { minutes: inviteTtlSeconds / 60 });
    await sendMessage(ctx, received.chatId, words, button, signal);
  } catch (error) {
    if (!(error instanceof PlatformFailed) || error.kind === 'unavailable') throw error;
    ctx.log.warn('The bot cannot create an invite link.', { communityId: community.id, reason: error.message });
    const words = t('telegram.cannotInvite', { chat: community.name });
    await sendMessage(ctx, received.chatId, words, undefined, signal);
  }
}

/** At most this many chats are included in one reply. */
const mostChats = 5;

/**
 * Replies to questions about roles and role changes. The reply names people and their holdings, so only the person who asked sees it: in
 * the chat if it is about themselves and Telegram can show it to them alone, otherwise in the private chat.
 */
async function answerQuestion(ctx: Context, received: ReceivedCommand, signal: AbortSignal): Promise<void> {
  const { telegram } = ctx;
  if (telegram === undefined) return;
  if (received.pressId !== undefined) await telegram.endPress(received.pressId, signal);
  const userCtx = contextFor(ctx, {
    kind: 'user',
    userId: userKey('telegram', received.userId),
    platform: 'telegram',
    scopes: ['$all'],
    credential: 'chat-command',
  });
  const answers = await answersTo(userCtx, received).catch((error: unknown) => refusal(error, ctx));
  try {
    for (const one of answers) {
      const post = telegramPost(one);
      const isOwn = !received.isPrivate && isAboutSelf(received);
      if (isOwn && (await telegram.whisper(received.chatId, received.userId, post.text, signal))) continue;
      await telegram.post(received.userId, post, signal);
    }
  } catch (error) {
    if (!(error instanceof PlatformFailed) || error.kind === 'unavailable') throw error;
    if (received.isPrivate) return;
    const t = messagesIn(ctx.locale);
    const button = { text: t('telegram.openBot'), url: `https://t.me/${await telegram.botName(signal)}?start` };
    await sendMessage(ctx, received.chatId, t('telegram.startFirst'), button, signal);
  }
}

/** Whether `/why` asks about the sender. Admins’ questions and their replies stay private. */
function isAboutSelf({ command, aboutId, argument, userId }: ReceivedCommand): boolean {
  const named = aboutId ?? argument;
  return command === 'why' && (named === '' || named === userId);
}

function refusal(error: unknown, { locale }: Pick<Context, 'locale'>): BotAnswer[] {
  if (error instanceof AppError && error.code !== 'UNAVAILABLE')
    return [answer(refusalInWords(error, messagesIn(locale)))];
  throw error;
}

async function answersTo(ctx: Context, received: ReceivedCommand): Promise<BotAnswer[]> {
  const community = received.isPrivate
    ? undefined
    : await selectCommunity(ctx.db.system, communityKey('telegram', received.chatId));
  if (!received.isPrivate && community?.status !== 'active') return [];
  if (received.command === 'why') return answerWhy(ctx, received, community);
  if (!isAdminCommand(received.command)) return [];
  const words = received.argument.split(/\s+/).filter((word) => word !== '');
  const [changeSetId] = words;
  if (changeSetId !== undefined)
    return [await runAdminCommand(ctx, await communityOfChangeSet(ctx, changeSetId), received.command, words)];
  const chats = community === undefined ? await administeredChats(ctx, received.userId) : [community];
  const { command } = received;
  if (chats.length === 0) return [answer(adminMessages('telegram.noChats'))];
  return Promise.all(chats.map(async (chat) => titled(chat, chats, await runAdminCommand(ctx, chat, command))));
}

/** Without a name it is about the sender; with one, or as a reply to a message, admins ask about a member. */
async function answerWhy(
  ctx: Context,
  received: ReceivedCommand,
  community: CommunityRow | undefined,
): Promise<BotAnswer[]> {
  const self = userKey('telegram', received.userId);
  const named = received.aboutId ?? received.argument;
  if (isAboutSelf(received)) {
    const chats = community === undefined ? await chatsOf(ctx, self) : [community];
    const t = messagesIn(ctx.locale);
    if (chats.length === 0) return [answer(t('telegram.noChats'))];
    const hint = t('why.howOnTelegram');
    return Promise.all(
      chats.map(async (chat) => titled(chat, chats, await whyRoles(ctx, chat, self, 'self', hint).catch(whyNot))),
    );
  }
  if (community !== undefined) await requireAdmin(ctx, community.id);
  const chats = community === undefined ? await administeredChats(ctx, received.userId) : [community];
  const found = await Promise.all(chats.map(async (chat) => ({ chat, userId: await findMember(ctx, chat, named) })));
  const about = found.flatMap(({ chat, userId }) => (userId === undefined ? [] : [{ chat, userId }]));
  if (about.length === 0) return [answer(adminMessages('member.notFoundInChats'))];
  return Promise.all(
    about.map(async ({ chat, userId }) => {
      await requireAdmin(ctx, chat.id);
      return titled(chat, chats, await whyRoles(ctx, chat, userId, 'other').catch(whyNot));
    }),
  );
}

/** If there are several chats, each reply says which one it is about. */
function titled({ name }: CommunityRow, chats: readonly CommunityRow[], { text, buttons }: BotAnswer): BotAnswer {
  return answer(chats.length === 1 ? text : `${plainName(name)}\n${text}`, buttons);
}

async function chatsOf(ctx: Context, userId: string): Promise<CommunityRow[]> {
  const rows = await selectCommunitiesOf(ctx.db.system, [userId]);
  return activeChats(
    ctx,
    rows.map(({ community_id }) => community_id),
  );
}

async function administeredChats(ctx: Context, userId: string): Promise<CommunityRow[]> {
  const all = await communitiesOfAdmin(ctx, userKey('telegram', userId));
  return activeChats(
    ctx,
    all.flatMap(({ id }) => id ?? []),
  );
}

async function activeChats(ctx: Context, ids: readonly string[]): Promise<CommunityRow[]> {
  const active = await selectActiveAmong(ctx.db.system, ids);
  return active.filter(({ platform }) => platform === 'telegram').slice(0, mostChats);
}

const [longestText, longestLabel, buttonsInRow, mostRows] = [4096, 64, 3, 8];

/** Converts a bot reply to a Telegram message. */
export function telegramPost(words: BotAnswer): TelegramPost {
  const { buttons } = words;
  const shown = buttons.map((button) => ({ text: button.label.slice(0, longestLabel), data: button.words.join(':') }));
  const rows = Math.min(mostRows, Math.ceil(shown.length / buttonsInRow));
  return {
    text: wordsOf(words, longestText),
    buttons: Array.from({ length: rows }, (_, row) => shown.slice(row * buttonsInRow, (row + 1) * buttonsInRow)),
  };
}
