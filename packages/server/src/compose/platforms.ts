import { findRefreshToken, keepTelegramSessions, type Services } from '@latchkey/core';
import type { DiscordApi, RedditApi, TelegramApi } from '@latchkey/core/ports';
import {
  createDiscord,
  createDiscordLogin,
  createRedditApi,
  createRedditHost,
  createRedditLogin,
  createTelegram,
  createTelegramLogin,
  createXLogin,
} from '@latchkey/platforms';
import type { Config } from '../config.ts';

export interface ChatPlatforms {
  hosts: Services['hosts'];
  identityProviders: Services['identityProviders'];
  x: Services['x'];
  discord: DiscordApi | undefined;
  telegram: TelegramApi | undefined;
  reddit: RedditApi | undefined;
}

/** Where people let the bots in. */
export function inviteUrls({ discordApiUrl, telegramLinkUrl }: Config): Services['settings']['inviteUrls'] {
  return { discord: `${discordApiUrl}/oauth2/authorize`, telegram: telegramLinkUrl };
}

/** The chat platforms whose bots are configured. */
export function composePlatforms(
  config: Config,
  base: Pick<Services, 'clock' | 'db' | 'keyring' | 'log' | 'random'>,
  discordCallsPerSecond: number,
): ChatPlatforms {
  const { clock } = base;
  const discord =
    config.discordBotToken === undefined
      ? undefined
      : createDiscord({
          token: config.discordBotToken,
          apiUrl: config.discordApiUrl,
          callsPerSecond: discordCallsPerSecond,
        });
  const telegram =
    config.telegramBotToken === undefined
      ? undefined
      : createTelegram(
          { token: config.telegramBotToken, apiUrl: config.telegramApiUrl, clock },
          telegramListing(config.telegramBotToken, config, base),
        );
  const reddit =
    config.redditClientId === undefined || config.redditClientSecret === undefined
      ? undefined
      : {
          clientId: config.redditClientId,
          clientSecret: config.redditClientSecret,
          apiUrl: config.redditApiUrl,
          authUrl: config.redditAuthUrl,
          clock,
        };
  return {
    hosts: {
      ...(discord && { discord: discord.host }),
      ...(telegram && { telegram: telegram.host }),
      ...(reddit && {
        reddit: createRedditHost({ ...reddit, refreshTokenOf: (subreddit) => findRefreshToken(base, subreddit) }),
      }),
    },
    identityProviders: {
      ...(config.discordClientId !== undefined &&
        config.discordClientSecret !== undefined && {
          discord: createDiscordLogin({
            clientId: config.discordClientId,
            clientSecret: config.discordClientSecret,
            apiUrl: config.discordApiUrl,
          }),
        }),
      ...(telegram && {
        telegram: createTelegramLogin({ linkUrl: config.telegramLinkUrl, botName: telegram.api.botName }),
      }),
      ...(reddit && { reddit: createRedditLogin(reddit) }),
    },
    x: composeX(config),
    discord: discord?.api,
    telegram: telegram?.api,
    reddit: reddit && createRedditApi(reddit),
  };
}

/** How the members of chats are listed, if an application of Telegram is configured. */
function telegramListing(
  token: string,
  { telegramListing: application }: Pick<Config, 'telegramListing'>,
  base: Pick<Services, 'clock' | 'db' | 'keyring' | 'log' | 'random'>,
) {
  if (application === undefined) return undefined;
  const [botId = ''] = token.split(':');
  const sessions = keepTelegramSessions(base, { botId, apiId: application.apiId });
  return { ...application, sessions, random: base.random, log: base.log.for('telegram') };
}

function composeX({ xClientId, xClientSecret, xApiUrl, xAuthUrl }: Config): Services['x'] {
  if (xClientId === undefined || xClientSecret === undefined) return undefined;
  return createXLogin({ clientId: xClientId, clientSecret: xClientSecret, apiUrl: xApiUrl, authUrl: xAuthUrl });
}
