export type { TelegramOptions } from './client.ts';
export { createTelegram, type Telegram } from './create-telegram.ts';
export { type PollOptions, pollUpdates } from './poll.ts';
