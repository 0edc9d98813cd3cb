import type { RoleHost, TelegramApi } from '@latchkey/core/ports';
import type { Log } from '@latchkey/kernel';
import { createTelegramApi } from './api.ts';
import { createTelegramClient, type TelegramOptions } from './client.ts';
import { createTelegramHost } from './host.ts';
import { createMemberLister, type MemberListerOptions } from './mtproto/member-lister.ts';
import { createPictureReader } from './read-picture.ts';

export interface Telegram {
  host: RoleHost;
  api: TelegramApi;
}

/** Telegram with one bot: everything of it that leaves this process goes through the same limits. */
export function createTelegram(
  options: TelegramOptions,
  /** How members are listed; without it only those are known whom the bot has met. */
  listing?: MemberListerOptions & { log: Log },
): Telegram {
  const call = createTelegramClient(options);
  const lister = listing && { ...createMemberLister(options, listing), log: listing.log };
  return {
    host: { ...createTelegramHost(call, options.clock, lister), readPicture: createPictureReader(call, options) },
    api: createTelegramApi(call),
  };
}
