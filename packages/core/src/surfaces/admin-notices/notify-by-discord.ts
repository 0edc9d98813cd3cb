import { selectAdminIds } from '../../communities/access/index.ts';
import { channelNames } from '../../communities/discord-guilds/index.ts';
import { type DiscordApi, type DiscordChannelObject, discordPermissions } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { nativeUserId } from '../../shared/qualified-ids.ts';
import type { BotAnswer } from '../bot-replies/index.ts';
import { noticeFor } from '../discord-interactions/index.ts';
import type { Edit, NoticeChannel, NoticeDelivery } from './notice-channel.ts';
import { unlessRefused } from './notice-channel.ts';

/** How many admins get a private message if there is no channel for it. */
const mostAdmins = 5;
const [configNames] = channelNames;

const edit: Edit = async ({ discord }, _community, { messageId }, { short, full }) => {
  const [channelId = '', id = '', length] = messageId.split('/');
  await unlessRefused(async () => discord?.editMessage(channelId, id, noticeFor(length === 'short' ? short : full)));
};

/** Sends to the bot's config channel, or privately to admins if there is none or the bot may not write there. */
export const byDiscord: NoticeChannel = {
  send: async (ctx, delivery) => {
    const { discord } = ctx;
    if (discord === undefined) return;
    if (!(await postInChannel(discord, delivery))) await messageAdmins(ctx, discord, delivery);
  },
  close: edit,
  update: edit,
};

async function postInChannel(discord: DiscordApi, delivery: NoticeDelivery): Promise<boolean> {
  const { community, noticeId, text, notified, keep } = delivery;
  const isDone = await unlessRefused(async () => {
    const channels = await discord.readChannels(community.community_id);
    const channel = channels.find(({ name }) => configNames.some((known) => known === name));
    if (channel === undefined) return undefined;
    if (notified.has(channel.id)) return true;
    const length = (await isPublic(discord, community.community_id, channel)) ? 'short' : 'full';
    const message = await discord.sendMessage(channel.id, once(text[length], noticeId));
    await keep(channel.id, `${channel.id}/${message.id}/${length}`);
    return true;
  });
  return isDone === true;
}

async function messageAdmins(ctx: Context, discord: DiscordApi, delivery: NoticeDelivery): Promise<void> {
  const { community, noticeId, text, notified, keep } = delivery;
  const admins = (await selectAdminIds(ctx.db.system, community.id)).map(({ user_id }) => user_id);
  for (const userId of admins.slice(0, mostAdmins)) {
    const native = nativeUserId('discord', userId);
    if (native === undefined || notified.has(userId)) continue;
    const message = await unlessRefused(() => discord.sendPrivately(native, once(text.full, noticeId)));
    const channelId = message?.channel_id;
    await keep(userId, message === undefined ? null : `${String(channelId)}/${message.id}/full`);
  }
}

/** Discord accepts only one message with the same nonce, so a retry after a crash does not post it again. */
function once(words: BotAnswer, noticeId: string): Record<string, unknown> {
  return { ...noticeFor(words), nonce: noticeId.slice(0, 25), enforce_nonce: true };
}

/** Whether every member of the server can read a channel. */
async function isPublic(discord: DiscordApi, guildId: string, channel: DiscordChannelObject): Promise<boolean> {
  const roles = await discord.readRoles(guildId);
  const everyone = BigInt(roles.find(({ id }) => id === guildId)?.permissions ?? 0);
  const own = channel.permission_overwrites?.find(({ id }) => id === guildId);
  const bits = (everyone & ~BigInt(own?.deny ?? 0)) | BigInt(own?.allow ?? 0);
  return (bits & discordPermissions.ViewChannel) !== 0n;
}
