import { createHmac } from 'node:crypto';
import { PlatformFailed } from '@latchkey/core/ports';
import { createBackoff, type Log, type Random } from '@latchkey/kernel';
import { createTelegramClient, type TelegramCall, type TelegramOptions } from './client.ts';
import { wantedUpdates } from './read-update.ts';

export interface WebhookOptions extends TelegramOptions {
  log: Log;
  /** Where this installation receives updates. */
  url: string;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** For the jitter of retries. */
  random: Pick<Random, 'bytes'>;
  /** Whether this process is responsible for the webhook. Defaults to true. */
  isTurn?(): Promise<boolean>;
}

const idleSeconds = 2;
const checkEverySeconds = 30;
const retrying = { firstMs: 2_000, longestMs: 60_000, stableMs: 0 };

/**
 * Returns the secret that Telegram sends along to prove that an update comes from it. Each process derives it from the bot's token, so that
 * it is stored nowhere and changes with the token. The token cannot be derived from it.
 */
export function webhookSecret(token: string): string {
  return createHmac('sha256', token).update('latchkey/telegram-webhook').digest('base64url');
}

/**
 * Makes Telegram post updates to the URL until the signal aborts, and sets the URL again if it was changed elsewhere. It stays set
 * afterwards: Telegram keeps undelivered updates for a day.
 */
export async function keepWebhook(options: WebhookOptions, signal: AbortSignal): Promise<void> {
  const call = createTelegramClient(options);
  const pause = (seconds: number) => options.sleep(seconds * 1000, signal).catch(() => undefined);
  const { log, url } = options;
  let isSet = false;
  const backoff = createBackoff({ ...retrying, random: options.random });
  let toldErrorAt = 0;
  while (!signal.aborted) {
    try {
      if (options.isTurn && !(await options.isTurn())) {
        isSet = false;
        await pause(idleSeconds);
        continue;
      }
      const info = isSet ? await call((api, abort) => api.getWebhookInfo(abort), signal) : undefined;
      if (info?.url !== url) {
        await setWebhook(call, options, signal);
        log.info('Telegram webhook registered.', { url });
        isSet = true;
      }
      const { last_error_date: errorAt = 0, last_error_message: reason, pending_update_count: waiting } = info ?? {};
      if (errorAt > toldErrorAt) {
        toldErrorAt = errorAt;
        log.warn('Telegram could not deliver an update; it will retry.', { url, reason, waiting });
      }
      backoff.succeeded();
      await pause(checkEverySeconds);
    } catch (error) {
      if (signal.aborted) break;
      const requestedMs = 1_000 * ((error instanceof PlatformFailed ? error.retryAfterSeconds : undefined) ?? 0);
      const pauseSeconds = Math.max(Math.min(requestedMs, retrying.longestMs), backoff.nextDelayMs()) / 1_000;
      const reason = error instanceof Error ? error.message : String(error);
      log.warn('Could not register the Telegram webhook; retrying.', { url, reason, pauseSeconds });
      await pause(pauseSeconds);
    }
  }
}

/** Never drops pending updates: they may have arrived while no process was polling. */
async function setWebhook(call: TelegramCall, { token, url }: WebhookOptions, signal: AbortSignal): Promise<void> {
  const options = { secret_token: webhookSecret(token), allowed_updates: [...wantedUpdates] };
  await call((api, abort) => api.setWebhook(url, options, abort), signal);
}
