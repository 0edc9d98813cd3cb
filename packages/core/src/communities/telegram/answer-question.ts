import { AppError } from '@latchkey/kernel';
import { type Context, contextFor } from '../../context.ts';
import { PlatformFailed } from '../../ports/index.ts';
import {
  answer,
  type BotAnswer,
  communityOfPlan,
  findMember,
  isAdminWord,
  plainName,
  requireAdmin,
  runAdminWord,
  whyNot,
  whyRoles,
} from '../bot-answers/index.ts';
import {
  type CommunityRow,
  communitiesOfAdmin,
  communityKey,
  selectActiveAmong,
  selectCommunity,
  userKey,
} from '../communities/index.ts';
import { selectCommunitiesOf } from '../members/index.ts';
import type { GivenCommand } from './answer-command.ts';
import { telegramPost } from './show-answer.ts';
import { tell } from './tell.ts';

/** So many chats are answered about at once. */
const mostChats = 5;

/**
 * Answers what people ask about roles and plans. The answer names people and what they hold, so it goes to whoever asked,
 * privately, also when the question was put in the chat.
 */
export async function answerQuestion(ctx: Context, given: GivenCommand, signal: AbortSignal): Promise<void> {
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
  const answers = await answersTo(asking, given).catch(refusal);
  try {
    for (const one of answers) await telegram.post(given.userId, telegramPost(one), signal);
  } catch (error) {
    if (!(error instanceof PlatformFailed) || error.kind === 'unavailable') throw error;
    if (given.isPrivate) return;
    const button = { text: 'Open the bot', url: `https://t.me/${await telegram.botName(signal)}?start` };
    await tell(ctx, given.chatId, 'Start a chat with me first: I answer this privately.', button, signal);
  }
}

function refusal(error: unknown): BotAnswer[] {
  if (error instanceof AppError && error.code !== 'UNAVAILABLE') return [answer(error.message)];
  throw error;
}

async function answersTo(ctx: Context, given: GivenCommand): Promise<BotAnswer[]> {
  const community = given.isPrivate
    ? undefined
    : await selectCommunity(ctx.db.system, communityKey('telegram', given.chatId));
  if (!given.isPrivate && community?.status !== 'active') return [];
  if (given.command === 'why') return answerWhy(ctx, given, community);
  if (!isAdminWord(given.command)) return [];
  const words = given.argument.split(/\s+/).filter((word) => word !== '');
  const [planId] = words;
  if (planId !== undefined) return [await runAdminWord(ctx, await communityOfPlan(ctx, planId), given.command, words)];
  const chats = community === undefined ? await administeredChats(ctx, given.userId) : [community];
  const { command } = given;
  if (chats.length === 0) return [answer('You do not manage a chat that I know.')];
  return Promise.all(chats.map(async (chat) => titled(chat, chats, await runAdminWord(ctx, chat, command))));
}

/** Without a name it is about whoever asks; with one, or as an answer to somebody's message, admins ask about a member. */
async function answerWhy(ctx: Context, given: GivenCommand, community: CommunityRow | undefined): Promise<BotAnswer[]> {
  const self = userKey('telegram', given.userId);
  const named = given.aboutId ?? given.argument;
  if (named === '' || named === given.userId) {
    const chats = community === undefined ? await chatsOf(ctx, self) : [community];
    if (chats.length === 0) return [answer('You are in no chat that I know.')];
    const hint = 'Send me /connect to link one.';
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
