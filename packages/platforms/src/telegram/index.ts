export type { TelegramOptions } from './client.ts';
export { createTelegram, type Telegram } from './create-telegram.ts';
export type { ChatRecords } from './guard.ts';
export { keepWebhook, type WebhookOptions, webhookSecret } from './keep-webhook.ts';
export { createTelegramLogin, type TelegramLoginOptions } from './login/create-telegram-login.ts';
export type { MemberListerOptions } from './mtproto/member-lister.ts';
export { type PollOptions, pollUpdates } from './poll.ts';
export { readPosted } from './read-posted.ts';
export { UpdateBody } from './read-update.ts';
