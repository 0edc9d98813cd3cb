import { setTimeout as delay } from 'node:timers/promises';
import {
  type GatewayOptions,
  listenToDiscord,
  type Services,
  selectPosition,
  takeChatEvents,
  telegramRoute,
} from '@latchkey/core';
import type { ChatBot, TelegramEvent } from '@latchkey/core/ports';
import type { Leases } from '@latchkey/db';
import type { PollOptions, WebhookOptions } from '@latchkey/platforms/telegram';
import type { Config } from '../config.ts';
import { fetchTo, permitSocketTo } from '../egress/index.ts';
import { botOf } from './bot-of.ts';

export interface ChatHandlers {
  onDiscord: GatewayOptions['takeEvent'];
  onTelegram(event: TelegramEvent, update: { bot: string; updateId: number }): Promise<void>;
}

const sleep = async (ms: number, signal: AbortSignal) => void (await delay(ms, undefined, { signal }));

/** Listens to events of the configured chat platforms until stopped. */
export function listenToChats(
  config: Config,
  services: Pick<Services, 'bots' | 'clock' | 'db' | 'log' | 'random' | 'settings'>,
  leases: Leases,
  handlers: ChatHandlers,
): { stop(): Promise<void> } {
  const { clock, log, random, settings } = services;
  const ended = new AbortController();
  const { signal } = ended;
  const running: Promise<void>[] = [];
  const { discordBotToken, telegramBotToken } = config;
  if (discordBotToken !== undefined)
    running.push(hearDiscord({ ...config, discordBotToken }, services, leases, handlers, signal));
  if (telegramBotToken !== undefined) {
    const bot = botOf(telegramBotToken);
    // Polling and webhooks share one lease, so that they never undo each other while processes have different settings.
    const isTurn = async () => (await leases.take(`telegram/${bot}`)) !== undefined;
    const { telegramApiUrl: apiUrl } = config;
    const report = { clock, random, log: log.for('telegram') };
    const options = { token: telegramBotToken, apiUrl, fetch: fetchTo([apiUrl]), ...report };
    const onEvent: PollOptions['onEvent'] = (event, updateId) => handlers.onTelegram(event, { bot, updateId });
    const isPosted = config.telegramUpdates === 'webhook';
    running.push(
      isPosted
        ? askForPosts({ ...options, sleep, isTurn, url: `${settings.baseUrl}${telegramRoute.path}` }, signal)
        : hearTelegram({ ...options, sleep, isTurn, onEvent }, signal),
    );
  }
  for (const bot of Object.values(services.bots)) running.push(hearBot(bot, services, leases, signal));
  return {
    stop: async () => {
      ended.abort();
      await Promise.all(running);
    },
  };
}

/** One process at a time listens to a bot. Another account of the same platform starts from scratch. */
async function hearBot(
  bot: ChatBot,
  services: Pick<Services, 'clock' | 'db' | 'log' | 'random'>,
  leases: Leases,
  signal: AbortSignal,
): Promise<void> {
  const { platform } = bot;
  // The account is known once the platform responds; until then there is nothing to listen to.
  let name: string | undefined;
  const nameOf = async () => {
    name ??= `${platform}/${botOf(await bot.profileUrl(signal))}`;
    return name;
  };
  await bot.listen(
    {
      isTurn: async () => (await leases.take(await nameOf())) !== undefined,
      position: async () => selectPosition(services.db.system, await nameOf()),
      take: async (events) => takeChatEvents(services, { platform, bot: await nameOf() }, events),
    },
    signal,
  );
}

async function askForPosts(options: WebhookOptions, signal: AbortSignal): Promise<void> {
  const { keepWebhook } = await import('@latchkey/platforms/telegram');
  await keepWebhook(options, signal);
}

async function hearTelegram(options: PollOptions, signal: AbortSignal): Promise<void> {
  const { pollUpdates } = await import('@latchkey/platforms/telegram');
  await pollUpdates(options, signal);
}

async function hearDiscord(
  {
    discordBotToken: token,
    discordApiUrl: apiUrl,
    discordSessionReserve: reserve,
  }: Config & { discordBotToken: string },
  services: Pick<Services, 'clock' | 'db' | 'log' | 'random'>,
  leases: Leases,
  { onDiscord }: ChatHandlers,
  signal: AbortSignal,
): Promise<void> {
  const { createDiscordGateway } = await import('@latchkey/platforms/discord');
  if (signal.aborted) return;
  const gateway = createDiscordGateway({
    token,
    apiUrl,
    fetch: fetchTo([apiUrl]),
    permit: permitSocketTo([apiUrl]),
    random: services.random,
    log: services.log.for('discord'),
  });
  const listening = listenToDiscord(services, { gateway, bot: botOf(token), reserve, leases, takeEvent: onDiscord });
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await listening.stop();
}
