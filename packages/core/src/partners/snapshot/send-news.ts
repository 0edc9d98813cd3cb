import type { CommunityRow } from '../../communities/community-records/index.ts';
import { PlatformFailed } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { type News, writeMessage, writeText } from './write-message.ts';

/** The ports of the platforms on which the bot can post. */
export type SendContext = Pick<Context, 'discord' | 'telegram'>;
type Sent = { id: string; problem?: undefined } | { id?: undefined; problem: string };

/** Posts news to a channel. Throws if the platform is unavailable; returns a problem for what it will never accept. */
export async function sendNews(
  ctx: SendContext,
  community: CommunityRow,
  channelId: string,
  news: News,
  { nonce, signal }: { nonce: string; signal: AbortSignal },
): Promise<Sent> {
  try {
    return community.platform === 'telegram'
      ? await sendToTelegram(ctx, community, channelId, news, signal)
      : await sendToDiscord(ctx, community, channelId, news, nonce);
  } catch (error) {
    if (!(error instanceof PlatformFailed) || error.kind === 'unavailable' || error.kind === 'not-configured')
      throw error;
    return { problem: error.message };
  }
}

// A channel may have been moved since it was linked.
const gone = { problem: 'The channel no longer exists in the community.' };

async function sendToDiscord(
  { discord }: SendContext,
  { community_id: guildId }: CommunityRow,
  channelId: string,
  news: News,
  nonce: string,
): Promise<Sent> {
  if (discord === undefined) throw new Error('No Discord bot is configured.');
  if (!(await discord.readChannels(guildId)).some(({ id }) => id === channelId)) return gone;
  const quiet = { allowed_mentions: { parse: [] }, nonce, enforce_nonce: true };
  const { id } = await discord.sendMessage(channelId, { ...quiet, ...writeMessage(news) });
  return { id };
}

async function sendToTelegram(
  { telegram }: SendContext,
  { community_id: chatId }: CommunityRow,
  channelId: string,
  news: News,
  signal: AbortSignal,
): Promise<Sent> {
  if (telegram === undefined) throw new Error('No Telegram bot is configured.');
  if (channelId !== chatId) return gone;
  return { id: await telegram.post(chatId, writeText(news), signal) };
}
