import type { RoleHost, TelegramApi } from '@latchkey/core/ports';
import { createTelegramApi } from './api.ts';
import { createTelegramClient, type TelegramOptions } from './client.ts';
import { createTelegramHost } from './host.ts';

export interface Telegram {
  host: RoleHost;
  api: TelegramApi;
}

/** Telegram with one bot: everything of it that leaves this process goes through the same limits. */
export function createTelegram(options: TelegramOptions): Telegram {
  const call = createTelegramClient(options);
  return { host: createTelegramHost(call, options.clock), api: createTelegramApi(call) };
}
