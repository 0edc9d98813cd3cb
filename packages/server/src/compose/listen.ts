import { setTimeout as delay } from 'node:timers/promises';
import type { Services } from '@latchkey/core';
import type { DiscordEvent, TelegramEvent } from '@latchkey/core/ports';
import type { Log } from '@latchkey/kernel';
import type { PollOptions } from '@latchkey/platforms/telegram';
import type { Config } from '../config.ts';

export interface ChatHandlers {
  onDiscord(event: DiscordEvent): Promise<void>;
  onTelegram(event: TelegramEvent): Promise<void>;
}

const sleep = async (ms: number, signal: AbortSignal) => void (await delay(ms, undefined, { signal }));

/** Hears what people do on the chat platforms that are configured, until stopped. */
export function listenToChats(
  config: Config,
  { clock, log }: Pick<Services, 'clock' | 'log'>,
  handlers: ChatHandlers,
): { stop(): Promise<void> } {
  const ended = new AbortController();
  const { signal } = ended;
  const running: Promise<void>[] = [];
  if (config.discordBotToken !== undefined) {
    const options = { token: config.discordBotToken, apiUrl: config.discordApiUrl, log: log.for('discord') };
    running.push(hearDiscord({ ...options, onEvent: handlers.onDiscord }, signal));
  }
  if (config.telegramBotToken !== undefined) {
    const options = { token: config.telegramBotToken, apiUrl: config.telegramApiUrl, clock, log: log.for('telegram') };
    running.push(hearTelegram({ ...options, sleep, onEvent: handlers.onTelegram }, signal));
  }
  return {
    stop: async () => {
      ended.abort();
      await Promise.all(running);
    },
  };
}

async function hearTelegram(options: PollOptions, signal: AbortSignal): Promise<void> {
  const { pollUpdates } = await import('@latchkey/platforms/telegram');
  await pollUpdates(options, signal);
}

const longestPauseMs = 60_000;

/** Opens the gateway, however long it takes to be reachable: roles are checked without it, only later. */
async function hearDiscord(
  options: { token: string; apiUrl: string; log: Log; onEvent(event: DiscordEvent): Promise<void> },
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      const { startDiscordGateway } = await import('@latchkey/platforms/discord');
      const gateway = await startDiscordGateway(options);
      await new Promise((resolve) => {
        if (signal.aborted) return resolve(undefined);
        signal.addEventListener('abort', resolve, { once: true });
      });
      return await gateway.close();
    } catch (error) {
      if (signal.aborted) return;
      const reason = error instanceof Error ? error.message : String(error);
      options.log.warn('The gateway of Discord cannot be opened; trying again.', { reason });
      await sleep(Math.min(1_000 * 2 ** failures, longestPauseMs), signal).catch(() => undefined);
    }
  }
}
