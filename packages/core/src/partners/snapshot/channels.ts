import { AppError, chatPlatforms, isAble, notFound } from '@latchkey/kernel';
import { type CommunityRow, selectCommunity } from '../../communities/communities/index.ts';
import { askDiscord } from '../../communities/discord/index.ts';
import type { Context } from '../../context.ts';

type ChannelContext = Parameters<typeof askDiscord>[0];

/** The community that is to be told of proposals. On some platforms the bot cannot post. */
export async function tellableCommunity(ctx: Pick<Context, 'db'>, id: string): Promise<CommunityRow> {
  const community = await selectCommunity(ctx.db.system, id);
  if (community === undefined) throw notFound('community');
  const { platform } = community;
  if (!isAble(platform, 'posts'))
    throw new AppError('STATE_CONFLICT', `The bot cannot post in communities of ${chatPlatforms[platform].title}.`);
  return community;
}

/**
 * The channels that are told, each once and all of the community itself: the bot is in many, and the caller was admitted
 * to one of them only. A group of Telegram is its only channel, and is told unless none is wanted.
 */
export async function ownChannels(
  ctx: ChannelContext,
  { platform, community_id }: CommunityRow,
  channels: readonly string[] | undefined,
): Promise<string[]> {
  if (platform === 'telegram' && channels === undefined) return [community_id];
  const wanted = [...new Set(channels ?? [])];
  if (wanted.length === 0) return [];
  const known = platform === 'telegram' ? [community_id] : await discordChannels(ctx, community_id);
  if (!wanted.every((id) => known.includes(id))) throw notFound('channel');
  return wanted;
}

async function discordChannels(ctx: ChannelContext, guildId: string): Promise<string[]> {
  return (await askDiscord(ctx, (discord) => discord.readChannels(guildId))).map(({ id }) => id);
}
