import type { RoleHost, TelegramApi } from '@latchkey/core/ports';
import type { TelegramOptions } from './client.ts';
import { createTelegram } from './create-telegram.ts';

export type { TelegramOptions } from './client.ts';
export { createTelegram, type Telegram } from './create-telegram.ts';
export { type PollOptions, pollUpdates } from './poll.ts';
export { readUpdate, wantedUpdates } from './read-update.ts';

export const createTelegramHost = (options: TelegramOptions): RoleHost => createTelegram(options).host;
export const createTelegramApi = (options: TelegramOptions): TelegramApi => createTelegram(options).api;
