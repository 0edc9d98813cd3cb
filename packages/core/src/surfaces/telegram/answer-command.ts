import { AppError, addSeconds } from '@latchkey/kernel';
import { communitiesOfAdmin } from '../../communities/community/index.ts';
import { type CommunityRow, selectActiveAmong, selectCommunity } from '../../communities/community-records/index.ts';
import { selectCommunitiesOf } from '../../communities/memberships/index.ts';
import { applyNow } from '../../gating/role-changes/index.ts';
import { PlatformFailed, type TelegramEvent, type TelegramPost } from '../../ports/index.ts';
import { type Context, contextFor } from '../../shared/context.ts';
import { messagesIn } from '../../shared/messages/index.ts';
import { communityKey, userKey } from '../../shared/qualified-ids.ts';
import {
  answer,
  type BotAnswer,
  communityOfChangeSet,
  findMember,
  isAdminWord,
  plainName,
  refusalInWords,
  requireAdmin,
  runAdminWord,
  whyNot,
  whyRoles,
  wordsOf,
} from '../bot-replies/index.ts';
import { connectLink } from './connect-link.ts';
import { evaluateJoinRequest } from './evaluate-join-request.ts';
import { sendMessage } from './send-message.ts';

export interface ReceivedCommand {
  chatId: string;
  isPrivate: boolean;
  userId: string;
  command: string;
  argument: string;
  /** Whose message the command answers. */
  aboutId?: string | undefined;
  /** The press of a button that it was given by. */
  pressId?: string | undefined;
}

export const inviteTtlSeconds = 15 * 60;

/** Whether the bot answers this; other commands are none of its business. */
export function isOwnCommand({ isPrivate, command }: Extract<TelegramEvent, { kind: 'command' }>): boolean {
  if (isAdminWord(command) || command === 'why') return true;
  return isPrivate ? command === 'start' || command === 'connect' : command === 'check';
}

/** Answers what people type to the bot. */
export async function answerCommand(ctx: Context, given: ReceivedCommand, signal: AbortSignal): Promise<void> {
  if (ctx.telegram === undefined) return;
  const asked =
    given.command === 'start' && given.argument === 'changes' ? { ...given, command: 'changes', argument: '' } : given;
  if (asked.command === 'why' || isAdminWord(asked.command)) return answerQuestion(ctx, asked, signal);
  if (!given.isPrivate) return checkSpeaker(ctx, given);
  if (given.command === 'start' && given.argument !== '') return answerJoinRequest(ctx, given, signal);
  const words = messagesIn(ctx.locale)('telegram.start');
  await sendMessage(ctx, given.chatId, words, await connectLink(ctx, given.userId), signal);
}

/** `/check` in a chat: checks the sender, as a resync would. */
async function checkSpeaker(ctx: Context, { chatId, userId }: ReceivedCommand): Promise<void> {
  const community = await selectCommunity(ctx.db.system, communityKey('telegram', chatId));
  if (community?.status !== 'active') return;
  await applyNow(ctx, community, userKey('telegram', userId), { liftSuppressions: false });
}

/** `/start <chat>`: an invitation for this person alone, if the rules say so. */
async function answerJoinRequest(ctx: Context, given: ReceivedCommand, signal: AbortSignal): Promise<void> {
  const t = messagesIn(ctx.locale);
  const community = await selectCommunity(ctx.db.system, communityKey('telegram', given.argument));
  if (community?.status !== 'active')
    return sendMessage(ctx, given.chatId, t('telegram.chatNotFound'), undefined, signal);
  switch (await evaluateJoinRequest(ctx, community, given.userId, signal)) {
    case 'true':
      return invite(ctx, given, community, signal);
    case 'false': {
      const words = t('telegram.notEnough', { chat: community.name });
      return sendMessage(ctx, given.chatId, words, await connectLink(ctx, given.userId), signal);
    }
    case 'unknown':
      return sendMessage(ctx, given.chatId, t('telegram.cannotCheck'), undefined, signal);
    case 'unruled':
      return sendMessage(ctx, given.chatId, t('telegram.noRules', { chat: community.name }), undefined, signal);
  }
}

async function invite(
  ctx: Context,
  given: ReceivedCommand,
  community: CommunityRow,
  signal: AbortSignal,
): Promise<void> {
  const expiresAt = addSeconds(ctx.clock(), inviteTtlSeconds);
  const options = { name: `for ${given.userId}`, expiresAt };
  const t = messagesIn(ctx.locale);
  try {
    const url = await ctx.telegram?.createInvite(community.community_id, options, signal);
    const button = url === undefined ? undefined : { text: t('telegram.join', { chat: community.name }), url };
    const words = t('telegram.invitation', { minutes: inviteTtlSeconds / 60 });
    await sendMessage(ctx, given.chatId, words, button, signal);
  } catch (error) {
    if (!(error instanceof PlatformFailed) || error.kind === 'unavailable') throw error;
    ctx.log.warn('The bot cannot create an invite link.', { communityId: community.id, reason: error.message });
    const words = t('telegram.cannotInvite', { chat: community.name });
    await sendMessage(ctx, given.chatId, words, undefined, signal);
  }
}

/** So many chats are answered about at once. */
const mostChats = 5;

/**
 * Answers questions about roles and role changes. The reply names people and their holdings, so it goes to the sender,
 * privately, also when the question was posted in the chat.
 */
async function answerQuestion(ctx: Context, given: ReceivedCommand, signal: AbortSignal): Promise<void> {
  const { telegram } = ctx;
  if (telegram === undefined) return;
  if (given.pressId !== undefined) await telegram.endPress(given.pressId, signal);
  const asking = contextFor(ctx, {
    kind: 'user',
    userId: userKey('telegram', given.userId),
    platform: 'telegram',
    scopes: ['$all'],
    credential: 'chat-command',
  });
  const answers = await answersTo(asking, given).catch((error: unknown) => refusal(error, ctx));
  try {
    for (const one of answers) await telegram.post(given.userId, telegramPost(one), signal);
  } catch (error) {
    if (!(error instanceof PlatformFailed) || error.kind === 'unavailable') throw error;
    if (given.isPrivate) return;
    const t = messagesIn(ctx.locale);
    const button = { text: t('telegram.openBot'), url: `https://t.me/${await telegram.botName(signal)}?start` };
    await sendMessage(ctx, given.chatId, t('telegram.startFirst'), button, signal);
  }
}

function refusal(error: unknown, { locale }: Pick<Context, 'locale'>): BotAnswer[] {
  if (error instanceof AppError && error.code !== 'UNAVAILABLE')
    return [answer(refusalInWords(error, messagesIn(locale)))];
  throw error;
}

async function answersTo(ctx: Context, given: ReceivedCommand): Promise<BotAnswer[]> {
  const community = given.isPrivate
    ? undefined
    : await selectCommunity(ctx.db.system, communityKey('telegram', given.chatId));
  if (!given.isPrivate && community?.status !== 'active') return [];
  if (given.command === 'why') return answerWhy(ctx, given, community);
  if (!isAdminWord(given.command)) return [];
  const words = given.argument.split(/\s+/).filter((word) => word !== '');
  const [changeSetId] = words;
  if (changeSetId !== undefined)
    return [await runAdminWord(ctx, await communityOfChangeSet(ctx, changeSetId), given.command, words)];
  const chats = community === undefined ? await administeredChats(ctx, given.userId) : [community];
  const { command } = given;
  if (chats.length === 0) return [answer('You don’t manage any chat that I’m in.')];
  return Promise.all(chats.map(async (chat) => titled(chat, chats, await runAdminWord(ctx, chat, command))));
}

/** Without a name it is about the sender; with one, or as a reply to a message, admins ask about a member. */
async function answerWhy(
  ctx: Context,
  given: ReceivedCommand,
  community: CommunityRow | undefined,
): Promise<BotAnswer[]> {
  const self = userKey('telegram', given.userId);
  const named = given.aboutId ?? given.argument;
  if (named === '' || named === given.userId) {
    const chats = community === undefined ? await chatsOf(ctx, self) : [community];
    const t = messagesIn(ctx.locale);
    if (chats.length === 0) return [answer(t('telegram.noChats'))];
    const hint = t('why.howOnTelegram');
    return Promise.all(
      chats.map(async (chat) => titled(chat, chats, await whyRoles(ctx, chat, self, 'self', hint).catch(whyNot))),
    );
  }
  if (community !== undefined) await requireAdmin(ctx, community.id);
  const chats = community === undefined ? await administeredChats(ctx, given.userId) : [community];
  const found = await Promise.all(chats.map(async (chat) => ({ chat, userId: await findMember(ctx, chat, named) })));
  const about = found.flatMap(({ chat, userId }) => (userId === undefined ? [] : [{ chat, userId }]));
  if (about.length === 0) return [answer('Member not found in a chat that you manage.')];
  return Promise.all(
    about.map(async ({ chat, userId }) => {
      await requireAdmin(ctx, chat.id);
      return titled(chat, chats, await whyRoles(ctx, chat, userId, 'other').catch(whyNot));
    }),
  );
}

/** Where there are several chats, each answer says which it is about. */
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

/** A bot's reply as a Telegram message. */
export function telegramPost(words: BotAnswer): TelegramPost {
  const { buttons } = words;
  const shown = buttons.map((button) => ({ text: button.label.slice(0, longestLabel), data: button.words.join(':') }));
  const rows = Math.min(mostRows, Math.ceil(shown.length / buttonsInRow));
  return {
    text: wordsOf(words, longestText),
    buttons: Array.from({ length: rows }, (_, row) => shown.slice(row * buttonsInRow, (row + 1) * buttonsInRow)),
  };
}
