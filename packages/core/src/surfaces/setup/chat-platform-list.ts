import {
  type ChatPlatform,
  chatPlatforms,
  choice,
  listOf,
  platformNames,
  record,
  T,
  text,
  type ValueOf,
} from '@latchkey/kernel';
import { type ChatBot, PlatformFailed, type PlatformName } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { describeMissing } from '../../shared/platform-setup.ts';
import { discordInvite, telegramInvite } from './invite-links.ts';

const BotInvitation = record('BotInvitation', 'How the bot is added on one chat platform.', {
  platform: choice('The chat platform.', platformNames),
  title: text('The display name of the platform.'),
  isConfigured: T.Boolean({ description: 'Whether this server has a bot there.' }),
  inviteLink: T.Optional(text('Where an admin adds the bot, with the minimum permissions it needs.')),
  problem: T.Optional(text('Why there is no invite link.')),
  rightsToManage: text('What a user needs to add a community on this platform.'),
  permissions: T.Array(
    record('UsedPermission', 'A permission that the bot asks for.', {
      name: text('What the platform calls it.'),
      reason: text('What the bot uses it for.'),
    }),
    { description: 'Everything the bot asks for.', maxItems: 20 },
  ),
});
type BotInvitation = ValueOf<typeof BotInvitation>;

export const BotInvitations = listOf(BotInvitation, 'The chat platforms, in the order people are shown them.');

type InviteContext = Pick<Context, 'bots' | 'hosts' | 'reddit' | 'settings' | 'telegram'>;

/** Returns how to add the bot on each platform. */
export async function listBotInvitations(ctx: InviteContext): Promise<BotInvitation[]> {
  return Promise.all(
    platformNames.map(async (platform) => {
      const { title, rightsToManage, botPermissions }: ChatPlatform = chatPlatforms[platform];
      const isConfigured = ctx.hosts[platform] !== undefined;
      const way = isConfigured ? await loginMethod(ctx, platform) : { problem: describeMissing(platform, ['bot']) };
      const permissions = Object.entries(botPermissions).map(([name, reason]) => ({
        name: name.replace(/(?<=[a-z])(?=[A-Z])/g, ' '),
        reason,
      }));
      return { platform, title, isConfigured, rightsToManage, permissions, ...way };
    }),
  );
}

async function loginMethod(
  ctx: InviteContext,
  platform: PlatformName,
): Promise<Pick<BotInvitation, 'inviteLink' | 'problem'>> {
  switch (platform) {
    case 'discord': {
      const inviteLink = discordInvite(ctx);
      return inviteLink === undefined ? { problem: describeMissing('discord', ['login']) } : { inviteLink };
    }
    case 'telegram':
      return telegramWay(ctx);
    default: {
      const { title, withoutInvite }: ChatPlatform = chatPlatforms[platform];
      const bot = ctx.bots[platform];
      if (bot !== undefined) return botWay(bot, title);
      return { problem: withoutInvite ?? `There is no invite link for ${title}: add the bot there yourself.` };
    }
  }
}

/** The bot's own page, from which an admin invites it. */
async function botWay(bot: ChatBot, title: string): Promise<Pick<BotInvitation, 'inviteLink' | 'problem'>> {
  try {
    return { inviteLink: await bot.profileUrl() };
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    return { problem: `${title} is not responding. Try again in a minute.` };
  }
}

async function telegramWay(ctx: InviteContext): Promise<Pick<BotInvitation, 'inviteLink' | 'problem'>> {
  try {
    const botName = await ctx.telegram?.botName();
    return botName === undefined
      ? { problem: describeMissing('telegram', ['bot']) }
      : { inviteLink: telegramInvite(ctx, botName) };
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    return { problem: 'Telegram is not responding. Try again in a minute.' };
  }
}
