import { contextFor, type Services, takePostedUpdate } from '@latchkey/core';
import { equalSecrets } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import type { Config } from '../config.ts';
import { botOf } from './bot-of.ts';

/** Receives updates that Telegram posts. */
export interface TelegramUpdates {
  /** Whether this is the secret token that was registered with Telegram. */
  isGenuine(secret: string): boolean;
  take(json: string): Promise<void>;
}

/**
 * Undefined without a bot. With one, posted updates are accepted even while a worker polls: when the operator changes
 * that setting, no update is refused, whichever process restarts first.
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
