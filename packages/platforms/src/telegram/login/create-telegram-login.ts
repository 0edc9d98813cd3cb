import { type ChatIdentityProvider, PlatformFailed } from '@latchkey/core/ports';

export interface TelegramLoginOptions {
  /** Where links to conversations lead: https://t.me. */
  linkUrl: string;
  /** Asks Telegram for the name of the bot. */
  botName(signal?: AbortSignal): Promise<string>;
}

/** Logging in by a conversation with the bot. Telegram passes on up to 64 letters, digits, - and _ (deep linking). */
export function createTelegramLogin({ linkUrl, botName }: TelegramLoginOptions): ChatIdentityProvider {
  let known: string | undefined;
  return {
    kind: 'chat',
    start: async (argument, signal) => {
      if (!/^[\w-]{1,64}$/.test(argument)) throw new Error('Telegram does not support this argument.');
      known ??= await botName(signal);
      if (known === '') throw new PlatformFailed('not-configured', 'The bot has no username on Telegram.');
      return `${linkUrl}/${known}?start=${argument}`;
    },
  };
}
