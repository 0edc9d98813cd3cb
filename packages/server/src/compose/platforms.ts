import {
  createDevvitDesk,
  findRefreshToken,
  findTelegramQuery,
  followUpgrade,
  keepTelegramSessions,
  readTagRoles,
  type Services,
} from '@latchkey/core';
import type { DiscordApi, RedditApi, TelegramApi } from '@latchkey/core/ports';
import { openCallBudget } from '@latchkey/db';
import {
  createDiscordLogin,
  createRedditApi,
  createRedditHost,
  createRedditLogin,
  createXLogin,
  withDevvit,
} from '@latchkey/platforms';
import type { Discord, DiscordOptions } from '@latchkey/platforms/discord';
import { createMatrix } from '@latchkey/platforms/matrix';
import type { Config } from '../config.ts';
import { connectGuarded, fetchTo, guardedFetch } from '../egress/index.ts';
import { botOf } from './bot-of.ts';

export interface ChatPlatforms {
  hosts: Services['hosts'];
  bots: Services['bots'];
  identityProviders: Services['identityProviders'];
  x: Services['x'];
  discord: DiscordApi | undefined;
  /** The calls that this process may send to Discord; undefined without a bot. */
  discordMetrics(): ReturnType<Discord['metrics']> | undefined;
  linkedRoles: Services['linkedRoles'];
  telegram: TelegramApi | undefined;
  reddit: RedditApi | undefined;
}

/** The addresses where admins add the bots to a community. */
export function inviteUrls({ discordApiUrl, telegramLinkUrl }: Config): Services['settings']['inviteUrls'] {
  return { discord: `${discordApiUrl}/oauth2/authorize`, telegram: telegramLinkUrl };
}

/** The chat platforms whose bots are configured. */
export async function composePlatforms(
  config: Config,
  base: Pick<Services, 'clock' | 'db' | 'egress' | 'keyring' | 'log' | 'random'>,
  { owner, discordCallsPerSecond: callsPerSecond }: { owner: string; discordCallsPerSecond?: number | undefined },
): Promise<ChatPlatforms> {
  const { clock } = base;
  const application = discordApplication(config);
  const discord =
    config.discordBotToken === undefined
      ? undefined
      : await composeDiscord({
          token: config.discordBotToken,
          apiUrl: config.discordApiUrl,
          cdnUrl: config.discordCdnUrl,
          fetch: fetchTo([config.discordApiUrl, config.discordCdnUrl]),
          ...(callsPerSecond === undefined
            ? { budget: openCallBudget(base.db, { name: `discord/${botOf(config.discordBotToken)}`, owner }) }
            : { callsPerSecond }),
          application,
        });
  const telegram =
    config.telegramBotToken === undefined ? undefined : await composeTelegram(config.telegramBotToken, config, base);
  const matrix =
    config.matrix &&
    createMatrix({
      ...config.matrix,
      ...base,
      log: base.log.for('matrix'),
      fetch: fetchTo([config.matrix.homeserverUrl]),
    });
  const reddit =
    config.redditClientId === undefined || config.redditClientSecret === undefined
      ? undefined
      : {
          clientId: config.redditClientId,
          clientSecret: config.redditClientSecret,
          apiUrl: config.redditApiUrl,
          authUrl: config.redditAuthUrl,
          clock,
          fetch: fetchTo([config.redditApiUrl, config.redditAuthUrl]),
        };
  return {
    hosts: {
      ...(discord && { discord: discord.host }),
      ...(telegram && { telegram: telegram.host }),
      ...(reddit && {
        reddit: withDevvit(
          createRedditHost({
            ...reddit,
            fetchMedia: guardedFetch(base.egress),
            refreshTokenOf: (subreddit) => findRefreshToken(base, subreddit),
          }),
          createDevvitDesk(base),
        ),
      }),
      ...(matrix && { matrix: matrix.host }),
    },
    bots: { ...(matrix && { matrix: matrix.bot }) },
    identityProviders: {
      ...(application && {
        discord: createDiscordLogin({
          ...application,
          apiUrl: config.discordApiUrl,
          fetch: fetchTo([config.discordApiUrl]),
        }),
      }),
      ...(telegram && { telegram: telegram.login }),
      ...(reddit && { reddit: createRedditLogin(reddit) }),
      ...(matrix && { matrix: matrix.login }),
    },
    x: composeX(config),
    discord: discord?.api,
    discordMetrics: () => discord?.metrics(),
    linkedRoles: discord?.linkedRoles,
    telegram: telegram?.api,
    reddit: reddit && createRedditApi(reddit),
  };
}

/** The OAuth application that members sign in with; undefined without its secret. */
function discordApplication({ discordClientId: clientId, discordClientSecret: clientSecret }: Config) {
  return clientId === undefined || clientSecret === undefined ? undefined : { clientId, clientSecret };
}

// The libraries of Discord and Telegram are large, so they are loaded only where a bot is configured.

async function composeDiscord(options: DiscordOptions): Promise<Discord> {
  const { createDiscord } = await import('@latchkey/platforms/discord');
  return createDiscord(options);
}

async function composeTelegram(
  token: string,
  config: Config,
  base: Pick<Services, 'clock' | 'db' | 'egress' | 'keyring' | 'log' | 'random'>,
) {
  const { createTelegram, createTelegramLogin } = await import('@latchkey/platforms/telegram');
  const { telegramApiUrl: apiUrl } = config;
  // A bot that was offline for more than a day gets no update about an upgrade: the refusal of its next call reports it.
  const onUpgraded = (chatId: string, newChatId: string) =>
    void followUpgrade(base, { chatId, newChatId }).catch((error: unknown) =>
      base.log.for('telegram').warn('Could not switch to an upgraded Telegram group.', { chatId, error }),
    );
  const options = { token, apiUrl, fetch: fetchTo([apiUrl]), clock: base.clock, onUpgraded };
  const { host, api } = createTelegram(options, telegramListing(token, config, base), {
    queries: { find: (chatId, userId) => findTelegramQuery(base, chatId, userId) },
    readTagRoles: (chatId) => readTagRoles(base, chatId),
  });
  return { host, api, login: createTelegramLogin({ linkUrl: config.telegramLinkUrl, botName: api.botName }) };
}

/** Lists the members of chats, if a Telegram application is configured. */
function telegramListing(
  token: string,
  { telegramListing: application }: Pick<Config, 'telegramListing'>,
  base: Pick<Services, 'clock' | 'db' | 'egress' | 'keyring' | 'log' | 'random'>,
) {
  if (application === undefined) return undefined;
  const [botId = ''] = token.split(':');
  const sessions = keepTelegramSessions(base, { botId, apiId: application.apiId });
  return { ...application, sessions, connect: connectGuarded, random: base.random, log: base.log.for('telegram') };
}

function composeX({ xClientId, xClientSecret, xApiUrl, xAuthUrl }: Config): Services['x'] {
  if (xClientId === undefined || xClientSecret === undefined) return undefined;
  return createXLogin({
    clientId: xClientId,
    clientSecret: xClientSecret,
    apiUrl: xApiUrl,
    authUrl: xAuthUrl,
    fetch: fetchTo([xApiUrl]),
  });
}
