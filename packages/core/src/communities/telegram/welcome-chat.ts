import { AppError } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { announce } from '../../machinery/announcements/index.ts';
import { askStanding, createCommunity, userKey } from '../communities/index.ts';
import { tell } from './tell.ts';

export interface NewChat {
  chatId: string;
  title: string;
  /** Who added the bot, or made it an administrator. */
  userId: string;
}

/** Who adds the bot to a chat and manages that chat owns the community that it becomes. Others add it in vain. */
export async function welcomeChat(
  ctx: Context,
  { chatId, title, userId }: NewChat,
  signal: AbortSignal,
): Promise<void> {
  const { telegram } = ctx;
  const ownerId = userKey('telegram', userId);
  if (telegram === undefined || !(await managesChat(ctx, chatId, ownerId, signal))) return;
  try {
    await createCommunity(ctx, { body: { platform: 'telegram', communityId: chatId, name: title, ownerId } });
  } catch (error) {
    // Telegram tells of the bot more than once: when it comes, and with every right it is given.
    if (error instanceof AppError && error.code === 'STATE_CONFLICT') return;
    throw error;
  }
  await announce(ctx.db.system, { changed: 'setup', accounts: [ownerId] });
  const link = `https://t.me/${await telegram.botName(signal)}?start=${chatId}`;
  const missing = await telegram.missingRights(chatId, signal);
  const wish = missing.length === 0 ? '' : ` For that the bot must still be allowed to: ${missing.join(', ')}.`;
  const words = `Once rules are written for this chat, members who qualify get in by ${link}, and members who no longer do are removed.`;
  await tell(ctx, chatId, words + wish, undefined, signal);
}

async function managesChat(ctx: Context, communityId: string, userId: string, signal: AbortSignal): Promise<boolean> {
  const standing = await askStanding(ctx, { platform: 'telegram', communityId }, userId, signal);
  // Otherwise the bot is out again, or may not ask.
  if (standing.kind === 'unknown' && standing.cause?.kind === 'unavailable') throw standing.cause;
  return standing.kind === 'yes';
}
