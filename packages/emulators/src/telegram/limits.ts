import type { Clock } from '../clock.ts';
import { type Rate, Windows } from '../windows.ts';
import { tooMany } from './errors.ts';

/** Telegram's limits in numbers; the exact ones are not published. */
export interface Limits {
  /** All calls of one bot, except getUpdates. */
  overall: Rate;
  /** Messages to one chat. */
  perChat: Rate;
  /** Messages to one group or channel. */
  perGroup: Rate;
}

export function createLimits(options: Partial<Limits> = {}): Limits {
  return {
    overall: { limit: 30, windowSeconds: 1 },
    perChat: { limit: 1, windowSeconds: 1 },
    perGroup: { limit: 20, windowSeconds: 60 },
    ...options,
  };
}

const unlimited = new Set(['getUpdates', 'getMe', 'setWebhook', 'deleteWebhook', 'getWebhookInfo']);
const messages = new Set(['sendMessage', 'editMessageText', 'editMessageReplyMarkup']);

export class CallLimits {
  readonly limits: Limits;
  readonly #clock: Clock;
  readonly #windows: Windows;

  constructor(clock: Clock, limits: Limits) {
    this.#clock = clock;
    this.limits = limits;
    this.#windows = new Windows(clock);
  }

  /** Counts a call, or throws with the time to wait. */
  take(botId: number, method: string, chatId: string | undefined): void {
    if (unlimited.has(method)) return;
    this.#take(`bot ${botId}`, this.limits.overall);
    if (chatId === undefined || !messages.has(method)) return;
    const isGroup = chatId.startsWith('-') || chatId.startsWith('@');
    if (isGroup) this.#take(`group ${botId} ${chatId}`, this.limits.perGroup);
    this.#take(`chat ${botId} ${chatId}`, this.limits.perChat);
  }

  #take(key: string, rate: Rate): void {
    const { isAllowed, endsAtMs } = this.#windows.take(key, rate);
    if (!isAllowed) throw tooMany(Math.max(1, Math.ceil((endsAtMs - this.#clock()) / 1000)));
  }
}
