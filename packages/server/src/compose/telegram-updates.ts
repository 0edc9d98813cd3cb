import { contextFor, type Services, takePostedUpdate } from '@latchkey/core';
import { equalSecrets } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import type { Config } from '../config.ts';
import { botOf } from './bot-of.ts';

/** Takes in what Telegram posts. */
export interface TelegramUpdates {
  /** Whether this is the secret that Telegram was given. */
  isGenuine(secret: string): boolean;
  take(json: string): Promise<void>;
}

/**
 * Undefined where no bot is configured. With one, posts are taken in even where a worker is to ask for updates: whichever
 * process is restarted first when the operator changes that, nothing is refused in between.
 */
export async function composeTelegramUpdates(
  { telegramBotToken: token }: Pick<Config, 'telegramBotToken'>,
  services: Services,
): Promise<TelegramUpdates | undefined> {
  const { telegram } = services;
  if (token === undefined || telegram === undefined) return undefined;
  const { readPosted, webhookSecret } = await import('@latchkey/platforms/telegram');
  const secret = webhookSecret(token);
  const bot = botOf(token);
  const log = services.log.for('telegram');
  const ctx = contextFor(services, { kind: 'system', job: 'telegram.events' });
  let botName: string | undefined;
  return {
    isGenuine: (given) => equalSecrets(given, secret),
    take: async (json) => {
      botName ??= await telegram.botName();
      const posted = readPosted(json, botName, log);
      if (posted === undefined) throw new AppError('INVALID_BODY', 'Send a Telegram Bot API update as JSON.');
      const { updateId, event } = posted;
      if (event !== undefined) await takePostedUpdate(ctx, { bot, updateId }, event);
    },
  };
}
